"""Paths of the page under /v1."""

from django.urls import path

from config.me import control, links, views

urlpatterns = [
    path("users/<external:user_id>/page-links", links.PageLinks.as_view(), name="page-links"),
    path("receipts/<uuid:receipt_id>/page", links.ReceiptPage.as_view(), name="receipt-page"),
    path("me", views.Me.as_view(), name="me"),
    path("me/session", views.Sessions.as_view(), name="me-session"),
    path("me/facts", views.Facts.as_view(), name="me-facts"),
    path("me/facts/<uuid:fact_id>", views.FactAction.as_view(), name="me-fact"),
    path("me/facts/<uuid:fact_id>/confirm", views.ConfirmFact.as_view(), name="me-fact-confirm"),
    path("me/facts/<uuid:fact_id>/dispute", views.DisputeFact.as_view(), name="me-fact-dispute"),
    path("me/messages", views.Messages.as_view(), name="me-messages"),
    path("me/episodes", views.Episodes.as_view(), name="me-episodes"),
    path("me/items", views.Items.as_view(), name="me-items"),
    path("me/forget", control.Forget.as_view(), name="me-forget"),
    path("me/forgets/<uuid:batch_id>/restore", control.RestoreForget.as_view(), name="me-forget-restore"),
    path("me/pause", control.Pause.as_view(), name="me-pause"),
    path("me/consents", control.Consents.as_view(), name="me-consents"),
    path("me/export", control.Export.as_view(), name="me-export"),
    path("me/erasure", control.Erasure.as_view(), name="me-erasure"),
    path("me/receipts/<uuid:receipt_id>", views.Receipt.as_view(), name="me-receipt"),
]
