"""Kept items as lines of an export, and back (SPEC M-7). Hashes and what a search needs are made anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from memory.errors import CodedError, ConsentMissing, InvalidRequest
from memory.fence.consents import list_withheld
from memory.kept.models import KeptItem
from memory.kept.paths import PURPOSE, hash_path
from memory.kept.storing import check_change, check_quota, make_item, read_documents
from memory.kept.types import Put
from memory.registries import ImportContext
from memory.sealing.vault import UserVault
from memory.selectors.pages import read_rows
from memory.types import UserRef

Moment = Annotated[datetime, Meta(tz=True)]


class ItemLine(msgspec.Struct, frozen=True):
    """One version of a document in a file."""

    id: UUID
    namespace: list[str]
    key: str
    value: dict[str, Any]
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    created_at: Moment
    updated_at: Moment
    index: list[str] | None = None
    ttl_seconds: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    expires_at: Moment | None = None
    replaced_at: Moment | None = None


def export_items(user: UserRef) -> Iterator[dict[str, Any]]:
    """A user's documents as JSON objects, older versions too, in pages."""
    vault = UserVault(user_id=user.id)
    for row in read_rows(user, KeptItem):
        times = {name: getattr(row, name) for name in ("created_at", "updated_at", "expires_at", "replaced_at")}
        content = vault.open(row.sealed, purpose=PURPOSE)
        numbers = {"version": row.version, "ttl_seconds": row.ttl_seconds}
        yield {"kind": "kept_item", "id": row.id, **content, **numbers, **times}


def import_items(rows: Sequence[Mapping[str, Any]], context: ImportContext) -> Sequence[bool | CodedError]:
    """Keep documents of a file, each by itself: True for a new one, False where that version is there. Writes."""
    outcomes: list[bool | CodedError] = []
    is_withheld = "items" in list_withheld(user=context.user)
    for row in rows:
        try:
            if is_withheld:
                raise ConsentMissing(fields={"kept_item": "the user has not agreed to items"})
            outcomes.append(_import(row, context))
        except CodedError as error:
            outcomes.append(error)
    return outcomes


def _import(row: Mapping[str, Any], context: ImportContext) -> bool:
    try:
        line = msgspec.convert(row, ItemLine, str_keys=True)
    except msgspec.ValidationError:
        raise InvalidRequest(fields={"kept_item": "is invalid for an export"}) from None
    put = Put(
        namespace=tuple(line.namespace),
        key=line.key,
        value=line.value,
        index=line.index,
        ttl_seconds=line.ttl_seconds,
    )
    check_change(put)
    user, vault = context.user, UserVault(user_id=context.user.id)
    path_hash = hash_path(vault, put.namespace, put.key)
    same_path = KeptItem.objects.filter(user_id=user.id, path_hash=path_hash)
    is_current = line.replaced_at is None
    if same_path.filter(version=line.version).exists() or (is_current and same_path.filter(replaced_at=None).exists()):
        return False
    data = read_documents([put])[0]
    item = make_item(user, vault, put, data, path=path_hash, before=None, at=line.updated_at)
    item.version, item.created_at = line.version, min(line.created_at, line.updated_at)
    item.expires_at = line.expires_at if line.ttl_seconds else None
    item.replaced_at = line.replaced_at
    item.save(force_insert=True)
    check_quota(user)
    return True
