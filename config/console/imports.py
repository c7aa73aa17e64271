"""Imports that go on, ended by an operator: what is stored already stays."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from config.console.pages import ask_first, console_page, telling
from memory.errors import NotFound
from memory.imports.requests import cancel_import, find_import_owner
from memory.tenants.access import get_access, record_view

LIST = "admin:imports_importrun_changelist"


@console_page("operate")
def cancel(request: HttpRequest, import_id: UUID) -> HttpResponseBase:
    """End an import after a page that says what that means. It is audited."""
    tenant_id, now = get_access(request).tenant.id, timezone.now()
    if find_import_owner(tenant_id=tenant_id, import_id=import_id) is None:
        raise NotFound("This import does not exist.")
    if request.method != "POST":
        return ask_first(
            request,
            title="Cancel an import",
            sentence="The file is deleted. What is stored already stays. The app is told that it was cancelled.",
            button="Cancel the import",
            back="Keep importing",
            back_url=reverse(LIST),
        )
    with telling(request):
        cancel_import(tenant_id=tenant_id, import_id=import_id, now=now)
        record_view(request, action="import.cancel", object_type="import", object_ids=[import_id], now=now)
        messages.success(request, "The import is cancelled.")
    return redirect(LIST)
