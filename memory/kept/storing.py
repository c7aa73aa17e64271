"""Kept items in: put, delete, and what ends by itself. Every write takes the user's lock (D-6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings

from memory.database.statements import fetch_row
from memory.errors import InvalidRequest
from memory.fence.consents import refuse_withheld
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
    when there is none. Raises InvalidRequest, VersionConflict, QuotaReached, ConsentMissing, UserErased, UserBusy.
    """
    for change in changes:
        check_change(change)
    read = read_documents(changes)
    with tenant_scope(tenant_id):
        user = enter_user(tenant_id=tenant_id, external_id=user_external_id, now=now)
        if any(isinstance(change, Put) for change in changes):
            refuse_withheld(user=user, kinds=["items"])
        vault = UserVault(user_id=user.id)
        paths = [hash_path(vault, change.namespace, change.key) for change in changes]
        versions: list[int | None] = []
        for part in _split_by_path(paths):
            versions += _apply(user, vault, {paths[place]: (changes[place], read[place]) for place in part}, now)
        check_quota(user)
    return versions


def delete_all_items(*, user: UserRef) -> int:
    """Delete everything that is kept for the user, older versions too; how many rows. In a tenant scope. Writes."""
    return KeptItem.objects.filter(user_id=user.id).delete()[0]


def delete_items_before(*, user: UserRef, moment: datetime) -> int:
    """Delete the documents that nobody has changed since a moment, with their older versions; how many documents.

    In a tenant scope, under the user's lock. Writes.
    """
    rows = KeptItem.objects.filter(user_id=user.id)
    paths = [bytes(p) for p in rows.filter(replaced_at=None, updated_at__lt=moment).values_list("path_hash", flat=True)]
    rows.filter(path_hash__in=paths).delete()
    return len(paths)


def drop_expired_items(*, user: UserRef, now: datetime) -> int:
    """Delete the user's items whose time is up, with their older versions; how many rows. Writes."""
    with tenant_scope(user.tenant_id):
        rows = KeptItem.objects.filter(user_id=user.id)
        due = rows.filter(expires_at__lte=now, replaced_at=None).values_list("path_hash", flat=True)
        paths = [bytes(path) for path in due]
        return rows.filter(path_hash__in=paths).delete()[0] + rows.filter(expires_at__lte=now).delete()[0]


def read_documents(changes: Sequence[Change]) -> list[Any]:
    """What a search needs of each document, as the room that searches makes it; None for what is not searched."""
    texts = [write_text(change.value, paths=change.index) if isinstance(change, Put) else "" for change in changes]
    places = [place for place, text in enumerate(texts) if text.strip()]
    data: list[Any] = [None] * len(changes)
    for read in document_readers:
        for place, found in zip(places, read([texts[place] for place in places]), strict=True):
            data[place] = found
    return data


def _split_by_path(paths: Sequence[bytes]) -> Iterator[range]:
    """Runs of changes in which no path comes twice."""
    start, seen = 0, set[bytes]()
    for place, path in enumerate(paths):
        if path in seen:
            yield range(start, place)
            start, seen = place, set()
        seen.add(path)
    yield range(start, len(paths))


def _apply(
    user: UserRef, vault: UserVault, changes: Mapping[bytes, tuple[Change, Any]], now: datetime
) -> list[int | None]:
    """Carry out changes of as many paths, in few statements. Writes."""
    rows = KeptItem.objects.filter(user_id=user.id, path_hash__in=list(changes))
    current = {bytes(row.path_hash): row for row in rows.filter(replaced_at=None)}
    ended = {path for path, row in current.items() if row.expires_at is not None and row.expires_at <= now}
    for path in ended:
        del current[path]
    gone = [path for path, (change, _) in changes.items() if isinstance(change, Delete) or path in ended]
    if gone:
        rows.filter(path_hash__in=gone).delete()
    puts = {path: (change, data) for path, (change, data) in changes.items() if isinstance(change, Put)}
    for path, (put, _) in puts.items():
        _check_version(put, current.get(path))
    replaced = [current[path] for path in puts if path in current]
    at = max([now, *[row.updated_at + timedelta(microseconds=1) for row in replaced]])
    if replaced:
        rows.filter(id__in=[row.id for row in replaced]).update(replaced_at=at)
        _drop_versions(user, replaced)
    made = [
        make_item(user, vault, put, data, path=path, before=current.get(path), at=at)
        for path, (put, data) in puts.items()
    ]
    KeptItem.objects.bulk_create(made)
    versions = {bytes(item.path_hash): item.version for item in made}
    return [versions.get(path) for path in changes]


def _check_version(put: Put, current: KeptItem | None) -> None:
    version = current.version if current else 0
    if put.if_version is not None and put.if_version != version:
        raise VersionConflict(fields={"if_version": f"the newest is {version}"})


def _drop_versions(user: UserRef, replaced: Sequence[KeptItem]) -> None:
    """Delete what is older than the versions that are kept beside the one that comes."""
    for row in replaced:
        oldest = row.version + 1 - settings.UNDE_TUNING.KEPT_VERSIONS
        if oldest > 0:
            KeptItem.objects.filter(user_id=user.id, path_hash=row.path_hash, version__lte=oldest).delete()


def make_item(
    user: UserRef, vault: UserVault, put: Put, data: Any, *, path: bytes, before: KeptItem | None, at: datetime
) -> KeptItem:
    """The unsaved row of a document's next version, sealed."""
    content = {"namespace": list(put.namespace), "key": put.key, "value": put.value}
    if put.index is not None:
        content["index"] = list(put.index)
    return KeptItem(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        path_hash=path,
        prefix_hashes=hash_prefixes(vault, put.namespace),
        version=before.version + 1 if before else 1,
        sealed=vault.seal(content, purpose=PURPOSE),
        sealed_search=None if data is None else vault.seal(data, purpose=SEARCH_PURPOSE),
        ttl_seconds=put.ttl_seconds,
        created_at=before.created_at if before else at,
        updated_at=at,
        expires_at=at + timedelta(seconds=put.ttl_seconds) if put.ttl_seconds else None,
    )


def check_quota(user: UserRef) -> None:
    """Raise QuotaReached when the user has too many documents, or too much in them, older versions included."""
    count, size = fetch_row(
        "SELECT count(*) FILTER (WHERE replaced_at IS NULL), coalesce(sum(octet_length(sealed)), 0)"
        " FROM kept_item WHERE user_id = %s",
        [user.id],
    )
    most, largest = settings.UNDE_TUNING.KEPT_ITEMS_OF_A_USER, settings.UNDE_TUNING.KEPT_BYTES_OF_A_USER
    if count > most:
        raise QuotaReached(fields={"items": f"at most {most} of a user"})
    if size > largest:
        raise QuotaReached(fields={"items": f"at most {largest // 2**20} MiB of a user"})
