"""Paths that every installation has; those under /v1 are in `config.api.endpoints.urls`."""

from __future__ import annotations

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from config.api import health

urlpatterns = [
    path("healthz", health.answer_alive, name="healthz"),
    path("readyz", health.answer_ready, name="readyz"),
    path("metrics", health.answer_metrics, name="metrics"),
    path("v1/schema", SpectacularAPIView.as_view(), name="schema"),
    path("v1/", include("config.me.api_urls")),
    path("v1/", include("config.api.endpoints.urls")),
    path("v1/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
]
