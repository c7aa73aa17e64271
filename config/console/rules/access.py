"""Who may change which rows, and the trail of it: editors their tenant's, the installation's staff those for all."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from memory.errors import NotFound
from memory.tenants.access import get_access, is_installation_staff
from memory.tenants.services.audit import record_audit_event
from patterns.models import EntryVersion, LexiconEntry, Rule, RuleVersion
from patterns.registry import RuleSetStatus, get_rule_set_status

NO_ENTRY: Final = "This entry does not exist in this tenant."


def may_change(request: HttpRequest, row: Rule | LexiconEntry) -> bool:
    """Whether a row is the staff user's to change: their tenant's, or one for all when they run the installation."""
    if row.tenant_id is None:
        return is_installation_staff(request)
    return bool(row.tenant_id == get_access(request).tenant.id)


def find_row(request: HttpRequest, model: Any, row_id: UUID | None) -> Any:
    """A shared row or one of the tenant; None when none is named. Raises NotFound."""
    if row_id is None:
        return None
    visible = Q(tenant_id=None) | Q(tenant_id=get_access(request).tenant.id)
    row = model.objects.filter(visible, id=row_id).first()
    if row is None:
        raise NotFound(NO_ENTRY)
    return row


def get_version(request: HttpRequest, kind: str, version_id: UUID) -> RuleVersion | EntryVersion:
    """A version of a row that the staff user may change. Raises NotFound, also for a row that is not theirs."""
    model, owner = (RuleVersion, "rule") if kind == "rule" else (EntryVersion, "entry")
    version = model.objects.select_related(owner).filter(id=version_id).first()
    if version is None or not may_change(request, getattr(version, owner)):
        raise NotFound("This version does not exist, or you cannot change it.")
    found: RuleVersion | EntryVersion = version
    return found


def get_page_name(row: Rule | LexiconEntry) -> str:
    """The name of the page of a rule or an entry."""
    return "console:edit_rule" if isinstance(row, Rule) else "console:edit_entry"


def audit(request: HttpRequest, *, action: str, object_type: str, object_id: UUID) -> None:
    """Write who did what to which row. Ids alone. The room of rules knows no trail of a tenant: its pages write it."""
    access = get_access(request)
    record_audit_event(
        tenant_id=access.tenant.id,
        actor=access.actor,
        action=action,
        now=timezone.now(),
        object_type=object_type,
        object_ids=[object_id],
    )


def find_status(request: HttpRequest) -> RuleSetStatus:
    """By which version this process reads the tenant, and what it refused."""
    return get_rule_set_status(tenant_id=get_access(request).tenant.id)
