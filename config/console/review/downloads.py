"""Files that reviewers take away, each noted in the audit trail."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from memory.tenants.access import record_view


def answer_file(request: HttpRequest, content: str, *, name: str, action: str) -> HttpResponse:
    """The content as a file to keep; YAML by its name, JSON Lines otherwise. Writes the audit trail."""
    record_view(request, action=action, object_type="", object_ids=[], now=timezone.now())
    kind = "application/yaml" if name.endswith("yaml") else "application/x-ndjson"
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
