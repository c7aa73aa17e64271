"""Everything that answers: the console under /admin/, the API under /v1/, health and metrics."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    # First, since paths are tried in order and the console has two hundred.
    path("", include("config.api.urls")),
    path("", include("config.mcp.urls")),
    path("", include("config.mem0.urls")),
    path("", include("config.opendsr.urls")),
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("memory/", include("config.me.urls")),
    path("admin/", include("config.console.urls")),
    path("admin/", admin.site.urls),
]

# Coded errors under /v1, pages elsewhere.
handler400 = "config.api.errors.answer_bad_request"
handler403 = "config.console.pages.answer_forbidden"
handler404 = "config.api.errors.answer_not_found"
handler500 = "config.api.errors.answer_server_error"
