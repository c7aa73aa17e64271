"""The one path of the protocol."""

from django.urls import path

from config.mcp.views import answer_mcp

urlpatterns = [path("mcp", answer_mcp, name="mcp"), path("mcp/", answer_mcp)]
