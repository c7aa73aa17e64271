"""Paths under /v1 (API.md)."""

from django.urls import path

from config.api.endpoints import (
    chat,
    corpora,
    episodes,
    erasures,
    facts,
    feedback,
    forgets,
    imports,
    knowledge,
    messages,
    search,
    store,
    user_keys,
    users,
    webhooks,
)
from config.api.endpoints.consents import views as consents
from config.api.endpoints.edits import facts as fact_edits
from config.api.endpoints.edits import views as edits
from config.api.endpoints.operations import views as operations
from config.api.endpoints.projects import urls as project_urls
from config.api.endpoints.quality import views as quality_views
from config.api.endpoints.sources import views as sources

urlpatterns = [
    path("messages", messages.Messages.as_view(), name="messages"),
    path("messages/batch", messages.MessageBatch.as_view(), name="messages-batch"),
    path("messages/<uuid:message_id>", edits.OneMessage.as_view(), name="message"),
    path("messages/<uuid:message_id>/history", edits.History.as_view(), name="message-history"),
    path("messages/<uuid:message_id>/forget", forgets.ForgetMessage.as_view(), name="message-forget"),
    path("messages/<uuid:message_id>/restore", forgets.RestoreMessage.as_view(), name="message-restore"),
    path("users", users.Users.as_view(), name="users"),
    path("users/<external:user_id>/conversations", users.Conversations.as_view(), name="conversations"),
    path("users/<external:user_id>/messages", messages.UserMessages.as_view(), name="user-messages"),
    path("users/<external:user_id>/facts", facts.Facts.as_view(), name="facts"),
    path("users/<external:user_id>/receipts", search.UserReceipts.as_view(), name="user-receipts"),
    path("users/<external:user_id>/forget", forgets.UserForget.as_view(), name="user-forget"),
    path("users/<external:user_id>/sources", sources.Sources.as_view(), name="user-sources"),
    path("users/<external:user_id>/sources/remove", sources.ForgetSource.as_view(), name="user-source-forget"),
    path("purposes", consents.Purposes.as_view(), name="purposes"),
    path("users/<external:user_id>/consents", consents.Consents.as_view(), name="user-consents"),
    path("users/<external:user_id>/erasure", erasures.UserErasure.as_view(), name="user-erasure"),
    path("users/<external:user_id>/export", users.Export.as_view(), name="export"),
    path("users/<external:user_id>/import", imports.Import.as_view(), name="import"),
    path("users/<external:user_id>/episodes", episodes.Episodes.as_view(), name="episodes"),
    path("users/<external:user_id>/episodes/close", episodes.CloseEpisodes.as_view(), name="episodes-close"),
    path("quality", quality_views.Quality.as_view(), name="quality"),
    path("episodes/<uuid:episode_id>", episodes.Episode.as_view(), name="episode"),
    path("episodes/<uuid:episode_id>/unpack", episodes.UnpackEpisode.as_view(), name="episode-unpack"),
    path("episodes/<uuid:episode_id>/anchor", episodes.AnchorEpisode.as_view(), name="episode-anchor"),
    path("users/<external:user_id>/keys", user_keys.UserKeys.as_view(), name="user-keys"),
    path("users/<external:user_id>/keys/<uuid:key_id>", user_keys.UserKey.as_view(), name="user-key"),
    path("store/items", store.StoreItems.as_view(), name="store-items"),
    path("store/items/search", store.StoreSearch.as_view(), name="store-search"),
    path("store/namespaces", store.StoreNamespaces.as_view(), name="store-namespaces"),
    path("store/batch", store.StoreBatch.as_view(), name="store-batch"),
    path("facts/<uuid:fact_id>", fact_edits.OneFact.as_view(), name="fact"),
    path("facts/<uuid:fact_id>/timeline", facts.FactTimeline.as_view(), name="fact-timeline"),
    path("facts/<uuid:fact_id>/confirm", facts.ConfirmFact.as_view(), name="fact-confirm"),
    path("facts/<uuid:fact_id>/dispute", facts.DisputeFact.as_view(), name="fact-dispute"),
    path("facts/<uuid:fact_id>/retract", facts.RetractFact.as_view(), name="fact-retract"),
    path("forgets/<uuid:batch_id>/restore", forgets.RestoreForget.as_view(), name="forget-restore"),
    path("operations/<uuid:operation_id>", operations.Operation.as_view(), name="operation"),
    path("erasures/<uuid:erasure_id>", erasures.Erasure.as_view(), name="erasure"),
    path("search", search.Search.as_view(), name="search"),
    path("chat", chat.Chat.as_view(), name="chat"),
    path("context", search.Context.as_view(), name="context"),
    path("feedback", feedback.FeedbackView.as_view(), name="feedback"),
    path("receipts/<uuid:receipt_id>", search.Receipt.as_view(), name="receipt"),
    path("corpora", corpora.Corpora.as_view(), name="corpora"),
    path("ask", knowledge.Ask.as_view(), name="ask"),
    path("corpora/<external:corpus>/graph", knowledge.CorpusGraph.as_view(), name="corpus-graph"),
    path("corpora/<external:corpus>/search", knowledge.CorpusSearch.as_view(), name="corpus-search"),
    path("corpora/<external:corpus>/ingest", corpora.Ingest.as_view(), name="corpus-ingest"),
    path("corpora/<external:corpus>/documents", corpora.Documents.as_view(), name="corpus-documents"),
    path("corpora/<external:corpus>/records", corpora.Records.as_view(), name="corpus-records"),
    *[
        path(
            f"corpora/<external:corpus>/{kind}/<external:item>",
            corpora.CorpusItem.as_view(kind=kind),
            name=f"corpus-{kind}-item",
        )
        for kind in corpora.CorpusItem.removers
    ],
    path("corpora/<external:corpus>/entities", corpora.Entities.as_view(), name="corpus-entities"),
    path("corpora/<external:corpus>/resolve", corpora.Resolve.as_view(), name="corpus-resolve"),
    path("corpora/<external:corpus>", corpora.CorpusDetail.as_view(), name="corpus"),
    path("events", webhooks.Events.as_view(), name="events"),
    path("webhooks", webhooks.Webhooks.as_view(), name="webhooks"),
    path("webhooks/<name:webhook>/rotate", webhooks.WebhookRotation.as_view(), name="webhook-rotate"),
    path("webhooks/<name:webhook>/test", webhooks.WebhookTest.as_view(), name="webhook-test"),
    path("webhooks/<name:webhook>/deliveries", webhooks.WebhookDeliveries.as_view(), name="webhook-deliveries"),
    path(
        "webhooks/<name:webhook>/deliveries/<uuid:delivery_id>/replay",
        webhooks.WebhookReplay.as_view(),
        name="webhook-replay",
    ),
    path("webhooks/<name:webhook>", webhooks.WebhookDetail.as_view(), name="webhook"),
    *project_urls.urlpatterns,
]
