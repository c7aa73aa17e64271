"""Everything that answers: the console under /admin/, the API under /v1/, health and metrics."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", include("config.console.urls")),
    path("admin/", admin.site.urls),
    path("", include("config.api.urls")),
]
