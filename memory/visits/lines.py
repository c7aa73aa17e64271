"""Visits and the pause as lines of an export, and back (SPEC M-7, D-38). No secret travels: a visit opens nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar
from uuid import UUID

import msgspec
from msgspec import Meta

from memory.errors import CodedError, InvalidRequest
from memory.models import User
from memory.registries import ImportContext
from memory.selectors.pages import read_rows
from memory.services.pauses import pause_memory
from memory.tenants.scope import tenant_scope
from memory.types import Instant, UserRef
from memory.visits.models import Visit
from memory.visits.types import Locale, Permission, Theme

Line = TypeVar("Line")


class VisitLine(msgspec.Struct, frozen=True):
    """When a page was opened, and what it allowed."""

    id: UUID
    permissions: Annotated[list[Permission], Meta(min_length=1, max_length=20)]
    created_at: Instant
    link_expires_at: Instant
    opened_at: Instant | None = None
    expires_at: Instant | None = None
    ended_at: Instant | None = None
    locale: Locale = "en"
    theme: Theme = "auto"


class PauseLine(msgspec.Struct, frozen=True):
    """A pause that is on."""

    paused_at: Instant
    keeps_messages: bool


def export_visits(user: UserRef) -> Iterator[dict[str, Any]]:
    """When the user's page was opened, and what it allowed."""
    for row in read_rows(user, Visit):
        yield {"kind": "visit", **{name: getattr(row, name) for name in VisitLine.__struct_fields__}}


def import_visits(rows: Sequence[Mapping[str, Any]], context: ImportContext) -> Sequence[bool | CodedError]:
    """Take visits over, each by itself. In a tenant scope. Writes."""
    return [_take(row, VisitLine, context, _keep_visit) for row in rows]


def export_pause(user: UserRef) -> Iterator[dict[str, Any]]:
    """The pause, while there is one."""
    with tenant_scope(user.tenant_id):
        row = User.objects.filter(id=user.id).exclude(paused_at=None).first()
    if row is not None:
        yield {"kind": "pause", "paused_at": row.paused_at, "keeps_messages": row.pause_keeps}


def import_pause(rows: Sequence[Mapping[str, Any]], context: ImportContext) -> Sequence[bool | CodedError]:
    """A memory that is paused stays so where it goes. In a tenant scope, under the lock. Writes."""
    return [_take(row, PauseLine, context, _keep_pause) for row in rows]


def _take(
    row: Mapping[str, Any],
    shape: type[Line],
    context: ImportContext,
    keep: Callable[[Line, ImportContext], bool | CodedError],
) -> bool | CodedError:
    try:
        return keep(msgspec.convert(row, shape), context)
    except msgspec.ValidationError:
        return InvalidRequest(fields={"line": "is invalid for an export"})


def _keep_visit(line: VisitLine, context: ImportContext) -> bool | CodedError:
    user = context.user
    is_opened = line.opened_at is not None
    if is_opened != (line.expires_at is not None) or (line.ended_at and not is_opened):
        return InvalidRequest(fields={"opened_at": "contradicts the end of the session"})
    if line.opened_at and line.expires_at and line.expires_at <= line.opened_at:
        return InvalidRequest(fields={"expires_at": "must be later than opened_at"})
    owner = Visit.objects.filter(tenant_id=user.tenant_id, id=line.id).values_list("user_id", flat=True).first()
    if owner is not None:
        return False if owner == user.id else InvalidRequest(fields={"id": "belongs to another user"})
    values = {name: getattr(line, name) for name in line.__struct_fields__}
    Visit.objects.create(tenant_id=user.tenant_id, user_id=user.id, key_id=None, link_hash=None, **values)
    return True


def _keep_pause(line: PauseLine, context: ImportContext) -> bool:
    if User.objects.filter(id=context.user.id).exclude(paused_at=None).exists():
        return False
    pause_memory(user=context.user, keeps_messages=line.keeps_messages, now=min(line.paused_at, context.now))
    return True
