"""Rule packs as files: taken away as a zip, compared with the rows, brought in."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page
from memory.errors import NotFound
from memory.tenants.access import get_access, is_installation_staff
from memory.tenants.services.audit import record_audit_event
from patterns.rules.pack import SHIPPED, Pack, PackError, load_pack
from patterns.services.bundles import check_pack, compare_pack, read_zip, write_zip
from patterns.services.drafting import draft_pack
from patterns.services.packs import import_pack

MAX_UPLOAD: Final = 1 << 20
SHARED: Final = "shared"
OWN: Final = "own"


@console_page("edit_patterns")
def show_packs(request: HttpRequest) -> HttpResponseBase:
    """What differs between the shipped files, or an uploaded zip, and the rows."""
    scope = _get_scope(request)
    upload, pack = "", None
    problems: list[str] = []
    if request.method == "POST":
        upload, pack, problems = _read_upload(request)
    elif scope == SHARED:
        pack = load_pack(SHIPPED)
    tenant_id = None if scope == SHARED else get_access(request).tenant.id
    return render_page(
        request,
        "console/rules/packs.html",
        title="Rule packs",
        rows=compare_pack(pack, tenant_id=tenant_id) if pack else [],
        pack=pack,
        problems=problems,
        upload=upload,
        scope=scope,
        is_installation=is_installation_staff(request),
    )


@console_page("edit_patterns")
def download_pack(request: HttpRequest, scope: str) -> HttpResponseBase:
    """The shared rows or the tenant's own as a zip. Raises NotFound."""
    if scope not in (SHARED, OWN):
        raise NotFound("This rule pack does not exist.")
    tenant = get_access(request).tenant
    name = "shared" if scope == SHARED else tenant.slug
    data = write_zip(name=name, tenant_id=None if scope == SHARED else tenant.id)
    answer = HttpResponse(data, content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="rules-{name}.zip"'
    return answer


@require_POST
@console_page("edit_patterns")
def bring_in_pack(request: HttpRequest) -> HttpResponseBase:
    """The uploaded files: as drafts for the tenant, or for all at once by the installation's staff, tried whole."""
    _, pack, problems = _read_upload(request)
    if pack is None:
        for problem in problems:
            messages.error(request, problem)
    elif _get_scope(request) == SHARED:
        _load_for_all(request, pack)
    else:
        _draft_for_tenant(request, pack)
    return redirect("console:rule_changes")


def _load_for_all(request: HttpRequest, pack: Pack) -> None:
    try:
        difference = import_pack(pack, check=lambda: check_pack(pack))
    except PackError as error:
        for problem in error.problems:
            messages.error(request, problem)
        return
    _audit(request, "pack.load")
    kept = f"; staff changes kept: {len(difference.kept)}" if difference.kept else ""
    messages.success(request, f"{len(difference.added)} added, {len(difference.changed)} changed{kept}.")


def _draft_for_tenant(request: HttpRequest, pack: Pack) -> None:
    access = get_access(request)
    result = draft_pack(pack, tenant_id=access.tenant.id, changed_by=access.actor_code)
    _audit(request, "pack.draft")
    messages.success(request, f"{len(result.drafted)} drafts created. They apply to nobody yet.")
    for name, reasons in list(result.refused.items())[:10]:
        messages.error(request, f"{name}: {reasons[0]}")


def _read_upload(request: HttpRequest) -> tuple[str, Pack | None, list[str]]:
    """The zip of the form, chosen now or carried along from the page before; the pack in it or what is wrong."""
    file = request.FILES.get("file")
    if file is not None and (file.size or 0) > MAX_UPLOAD:
        return "", None, ["the file is over 1 MB"]
    try:
        data = file.read() if file is not None else base64.b64decode(request.POST.get("upload", ""), validate=True)
        if len(data) > MAX_UPLOAD:
            return "", None, ["the file is over 1 MB"]
        return base64.b64encode(data).decode(), read_zip(data), []
    except PackError as error:
        return "", None, list(error.problems)
    except binascii.Error:
        return "", None, ["choose a zip"]


def _get_scope(request: HttpRequest) -> str:
    """For all or for the tenant. Only the installation's staff write for all; everybody may compare."""
    asked = request.POST.get("scope") or request.GET.get("scope") or (SHARED if request.method == "GET" else OWN)
    if request.method == "POST" and not is_installation_staff(request):
        return OWN
    return SHARED if asked == SHARED else OWN


def _audit(request: HttpRequest, action: str) -> None:
    access = get_access(request)
    record_audit_event(tenant_id=access.tenant.id, actor=access.actor, action=action, now=timezone.now())
