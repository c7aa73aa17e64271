"""Paths of the page under /v1."""

from django.urls import path

from config.page import links, me

urlpatterns = [
    path("users/<external:user_id>/page-links", links.PageLinks.as_view(), name="page-links"),
    path("receipts/<uuid:receipt_id>/page", links.ReceiptPage.as_view(), name="receipt-page"),
    path("me", me.Me.as_view(), name="me"),
    path("me/session", me.Sessions.as_view(), name="me-session"),
    path("me/facts", me.Facts.as_view(), name="me-facts"),
    path("me/facts/<uuid:fact_id>", me.FactAction.as_view(), name="me-fact"),
    path("me/facts/<uuid:fact_id>/confirm", me.ConfirmFact.as_view(), name="me-fact-confirm"),
    path("me/facts/<uuid:fact_id>/dispute", me.DisputeFact.as_view(), name="me-fact-dispute"),
    path("me/messages", me.Messages.as_view(), name="me-messages"),
    path("me/episodes", me.Episodes.as_view(), name="me-episodes"),
    path("me/items", me.Items.as_view(), name="me-items"),
    path("me/forget", me.Forget.as_view(), name="me-forget"),
    path("me/forgets/<uuid:batch_id>/restore", me.RestoreForget.as_view(), name="me-forget-restore"),
    path("me/pause", me.Pause.as_view(), name="me-pause"),
    path("me/export", me.Export.as_view(), name="me-export"),
    path("me/erasure", me.Erasure.as_view(), name="me-erasure"),
    path("me/receipts/<uuid:receipt_id>", me.Receipt.as_view(), name="me-receipt"),
]
