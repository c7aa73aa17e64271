"""Paths of OpenDSR 2.0."""

from django.urls import path

from config.opendsr import views

urlpatterns = [
    path("opendsr/v2/discovery", views.discover, name="opendsr-discovery"),
    path("opendsr/v2/certificate.pem", views.show_certificate, name="opendsr-certificate"),
    path("opendsr/v2/requests", views.SubjectRequests.as_view(), name="opendsr-requests"),
    path("opendsr/v2/requests/<uuid:subject_request_id>", views.SubjectRequestDetail.as_view(), name="opendsr-request"),
    path(
        "opendsr/v2/requests/<uuid:subject_request_id>/results",
        views.SubjectRequestResults.as_view(),
        name="opendsr-results",
    ),
]
