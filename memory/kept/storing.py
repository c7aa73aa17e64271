"""Kept items in: put, delete, and what ends by itself. Every write takes the user's lock (D-6)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import connection

from memory.errors import InvalidRequest
from memory.fence.user_lock import enter_user
from memory.ids import new_id
from memory.kept.models import KeptItem
from memory.kept.namespaces import check_path
from memory.kept.paths import PURPOSE, SEARCH_PURPOSE, hash_path, hash_prefixes
from memory.kept.texts import check_paths, write_text
from memory.kept.types import Delete, Put, QuotaReached, VersionConflict
from memory.registries import document_readers
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

Change = Put | Delete


def check_change(change: Change) -> None:
    """Raise InvalidRequest for a path or a document that can't be kept."""
    check_path(change.namespace, change.key)
    if isinstance(change, Delete):
        return
    check_paths(change.index or ())
    size, limit = len(msgspec.json.encode(change.value)), settings.UNDE_TUNING.KEPT_DOCUMENT_BYTES
    if size > limit:
        raise InvalidRequest(fields={"value": f"must be at most {limit // 1024} KiB as JSON"})


def change_items(
    *, tenant_id: UUID, user_external_id: str, changes: Sequence[Change], now: datetime
) -> list[int | None]:
    """Put and delete documents, all or none; the version of each that was put, None for a deleted one. Writes.

    What a search needs is made before the transaction, since an embedder may be across the network. The user is made
    when there is none. Raises InvalidRequest, VersionConflict, QuotaReached, UserErased, UserBusy.
    """
    for change in changes:
        check_change(change)
    read = read_documents(changes)
    with tenant_scope(tenant_id):
        user = enter_user(tenant_id=tenant_id, external_id=user_external_id, now=now)
        vault = UserVault(user_id=user.id)
        versions = [_apply(user, vault, change, data, now) for change, data in zip(changes, read, strict=True)]
        check_quota(user)
    return versions


def drop_expired_items(*, user: UserRef, now: datetime) -> int:
    """Delete the user's items whose time is up, with their older versions; how many rows. Writes."""
    with tenant_scope(user.tenant_id):
        rows = KeptItem.objects.filter(user_id=user.id)
        due = rows.filter(expires_at__lte=now, replaced_at=None).values_list("path_hash", flat=True)
        paths = [bytes(path) for path in due]
        return rows.filter(path_hash__in=paths).delete()[0] + rows.filter(expires_at__lte=now).delete()[0]


def claim_users_with_expired_items(*, now: datetime, limit: int) -> list[UserRef]:
    """Users, of any tenant, with items whose time is up. For workers (D-14)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tenant_id, user_id FROM claim_expired_kept_items_v1(%s::timestamptz, %s::integer)", [now, limit]
        )
        return [UserRef(id=row[1], tenant_id=row[0]) for row in cursor.fetchall()]


def read_documents(changes: Sequence[Change]) -> list[Any]:
    """What a search needs of each document, as the room that searches makes it; None for what is not searched."""
    texts = [write_text(change.value, paths=change.index) if isinstance(change, Put) else "" for change in changes]
    places = [place for place, text in enumerate(texts) if text.strip()]
    data: list[Any] = [None] * len(changes)
    for read in document_readers:
        for place, found in zip(places, read([texts[place] for place in places]), strict=True):
            data[place] = found
    return data


def _apply(user: UserRef, vault: UserVault, change: Change, data: Any, now: datetime) -> int | None:
    rows = KeptItem.objects.filter(user_id=user.id, path_hash=hash_path(vault, change.namespace, change.key))
    if isinstance(change, Delete):
        rows.delete()
        return None
    current = rows.filter(replaced_at=None).first()
    if current is not None and current.expires_at is not None and current.expires_at <= now:
        rows.delete()
        current = None
    if change.if_version is not None and change.if_version != (current.version if current else 0):
        raise VersionConflict(fields={"if_version": f"the newest is {current.version if current else 0}"})
    at = now if current is None else max(now, current.updated_at + timedelta(microseconds=1))
    if current is not None:
        rows.filter(id=current.id).update(replaced_at=at)
        rows.filter(version__lte=current.version + 1 - settings.UNDE_TUNING.KEPT_VERSIONS).delete()
    version, created_at = (current.version + 1, current.created_at) if current else (1, at)
    insert_item(user=user, vault=vault, put=change, data=data, version=version, at=at, created_at=created_at)
    return version


def insert_item(
    *,
    user: UserRef,
    vault: UserVault,
    put: Put,
    data: Any,
    version: int,
    at: datetime,
    created_at: datetime | None = None,
) -> KeptItem:
    """The new row of a document, sealed. Writes."""
    content = {"namespace": list(put.namespace), "key": put.key, "value": put.value}
    if put.index is not None:
        content["index"] = list(put.index)
    return KeptItem.objects.create(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        path_hash=hash_path(vault, put.namespace, put.key),
        prefix_hashes=hash_prefixes(vault, put.namespace),
        version=version,
        sealed=vault.seal(content, purpose=PURPOSE),
        sealed_search=None if data is None else vault.seal(data, purpose=SEARCH_PURPOSE),
        ttl_seconds=put.ttl_seconds,
        created_at=created_at or at,
        updated_at=at,
        expires_at=at + timedelta(seconds=put.ttl_seconds) if put.ttl_seconds else None,
    )


def check_quota(user: UserRef) -> None:
    """Raise QuotaReached when the user has too many documents, or too much in them, older versions included."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FILTER (WHERE replaced_at IS NULL), coalesce(sum(octet_length(sealed)), 0)"
            " FROM kept_item WHERE user_id = %s",
            [user.id],
        )
        count, size = cursor.fetchone()
    most, largest = settings.UNDE_TUNING.KEPT_ITEMS_OF_A_USER, settings.UNDE_TUNING.KEPT_BYTES_OF_A_USER
    if count > most:
        raise QuotaReached(fields={"items": f"at most {most} of a user"})
    if size > largest:
        raise QuotaReached(fields={"items": f"at most {largest // 2**20} MiB of a user"})
