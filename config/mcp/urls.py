"""The paths of the protocol: by key, by token, and where tokens are given out."""

from django.urls import path

from config.mcp.oauth.views import WELL_KNOWN, answer_mcp_by_token, answer_metadata
from config.mcp.views import answer_mcp

urlpatterns = [
    path("mcp", answer_mcp, name="mcp"),
    path("mcp/", answer_mcp),
    path("mcp/oauth/<slug:tenant>", answer_mcp_by_token, name="mcp-oauth"),
    path(f"{WELL_KNOWN[1:]}/mcp/oauth/<slug:tenant>", answer_metadata, name="mcp-oauth-metadata"),
]
