"""Rows of golden cases, of replies and of messages: one a subject, the last that was written."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from corrections.models import GoldenCase, MessageCase
from memory.ids import new_id
from memory.tenants.services.audit import record_staff_act

Case = TypeVar("Case", GoldenCase, MessageCase)


def store_case(
    model: type[Case],
    *,
    tenant_id: UUID,
    subject: dict[str, UUID],
    language: str,
    content: dict[str, Any],
    author: str,
    now: datetime,
) -> Case:
    """Store a case for a subject (`correction_id` or `item_id`), in place of the one before; audited. Writes."""
    written = {"language": language, "content": content, "written_by": author, "written_at": now}
    case, _ = model.objects.update_or_create(
        tenant_id=tenant_id, **subject, defaults=written, create_defaults={"id": new_id(), **written}
    )
    record_staff_act(
        tenant_id=tenant_id,
        actor=author,
        action="golden.write",
        now=now,
        object_type="golden_case",
        object_ids=[case.id, *subject.values()],
    )
    return case
