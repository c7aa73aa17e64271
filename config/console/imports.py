"""Imports that go on, ended by an operator: what is stored already stays."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from config.console.pages import console_page, describe_error, render_page
from memory.errors import CodedError, NotFound
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
        return render_page(
            request,
            "console/confirm.html",
            title="Cancel an import",
            sentence="The file is deleted. What is stored already stays. The app is told that it was cancelled.",
            button="Cancel the import",
            back="Keep importing",
            back_url=reverse(LIST),
        )
    try:
        cancel_import(tenant_id=tenant_id, import_id=import_id, now=now)
    except CodedError as error:
        messages.error(request, describe_error(error))
    else:
        record_view(request, action="import.cancel", object_type="import", object_ids=[import_id], now=now)
        messages.success(request, "The import is cancelled.")
    return redirect(LIST)
