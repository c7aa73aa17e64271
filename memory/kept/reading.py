"""Kept items out: one, those under a namespace, namespaces. An item whose time is up is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from memory.database.statements import execute
from memory.kept.models import KeptItem
from memory.kept.namespaces import fits, list_fitting
from memory.kept.paths import PURPOSE, SEARCH_PURPOSE, hash_path, hash_prefix
from memory.kept.types import ANY_LABEL, Condition, KeptDocument, Namespace, Searchable
from memory.sealing.vault import UserVault
from memory.types import UserRef

PAGE: Final = 500


def find_item(
    *, user: UserRef, namespace: Namespace, key: str, now: datetime, version: int | None = None
) -> KeptDocument | None:
    """A document in its newest version, or in the one asked for, if it is there."""
    vault = UserVault(user_id=user.id)
    rows = _list_live(user, now).filter(path_hash=hash_path(vault, namespace, key))
    if version is None:
        return next(iter(_open(vault, rows.filter(replaced_at=None))), None)
    return next(iter(_open(vault, rows.filter(version=version))), None)


def list_items(
    *,
    user: UserRef,
    prefix: Namespace,
    now: datetime,
    start: int,
    limit: int,
    passes: Callable[[KeptDocument], bool] | None = None,
) -> list[KeptDocument]:
    """Some of the documents under `prefix` that pass, the latest change first. A prefix may have `*` for any label.

    Documents are opened a page at a time, as many as are needed.
    """
    vault = UserVault(user_id=user.id)
    rows = _list_under(user, vault, prefix, now)
    if passes is None and ANY_LABEL not in prefix:
        return _open(vault, rows[start : start + limit])
    found: list[KeptDocument] = []
    place = 0
    while len(found) < start + limit:
        page = _open(vault, rows[place : place + PAGE])
        found += [item for item in page if _is_under(item, prefix) and (passes is None or passes(item))]
        place += PAGE
        if len(page) < PAGE:
            break
    return found[start : start + limit]


def list_searchable(*, user: UserRef, prefix: Namespace, now: datetime) -> list[Searchable]:
    """All documents under `prefix` that are searched by words, with what the search was given of each, still sealed
    themselves where the prefix has no `*`. The latest change first."""
    vault = UserVault(user_id=user.id)
    rows = list(_list_under(user, vault, prefix, now).exclude(sealed_search=None))
    if not rows:
        return []
    data = vault.open_all([row.sealed_search for row in rows if row.sealed_search is not None], purpose=SEARCH_PURPOSE)
    found = [Searchable(row.id, row.updated_at, row, one) for row, one in zip(rows, data, strict=True)]
    if ANY_LABEL not in prefix:
        return found
    under = {item.id for item in open_items(user=user, items=found) if _is_under(item, prefix)}
    return [one for one in found if one.id in under]


def open_items(*, user: UserRef, items: Iterable[Searchable]) -> list[KeptDocument]:
    """The documents themselves, in their order."""
    return _open(UserVault(user_id=user.id), [item.row for item in items])


def list_namespaces(
    *, user: UserRef, conditions: Sequence[Condition], max_depth: int | None, now: datetime
) -> list[Namespace]:
    """The namespaces that have documents and fit the conditions, cut to `max_depth` labels, in order."""
    vault = UserVault(user_id=user.id)
    # One row of each namespace is opened.
    rows = _list_live(user, now).filter(replaced_at=None).order_by("prefix_hashes", "id").distinct("prefix_hashes")
    found = [item.namespace for item in _open(vault, rows)]
    return list_fitting(found, conditions=conditions, max_depth=max_depth)


def renew_items(*, user: UserRef, items: Iterable[KeptDocument], now: datetime) -> None:
    """Let items with a lifetime begin it again, since they were read. Writes."""
    ids = [item.id for item in items if item.expires_at is not None]
    if ids:
        execute(
            "UPDATE kept_item SET expires_at = %s::timestamptz + make_interval(secs => ttl_seconds)"
            " WHERE user_id = %s AND id = ANY(%s) AND ttl_seconds IS NOT NULL",
            [now, user.id, ids],
        )


def _is_under(item: KeptDocument, prefix: Namespace) -> bool:
    return fits(item.namespace, Condition("prefix", prefix))


def _list_live(user: UserRef, now: datetime) -> QuerySet[KeptItem]:
    return KeptItem.objects.filter(Q(expires_at=None) | Q(expires_at__gt=now), user_id=user.id)


def _list_under(user: UserRef, vault: UserVault, prefix: Namespace, now: datetime) -> QuerySet[KeptItem]:
    rows = _list_live(user, now).filter(replaced_at=None).order_by("-updated_at", "-id")
    named = prefix[: prefix.index(ANY_LABEL)] if ANY_LABEL in prefix else prefix
    return rows.filter(prefix_hashes__contains=[hash_prefix(vault, named)]) if named else rows


def _open(vault: UserVault, rows: Iterable[KeptItem]) -> list[KeptDocument]:
    found = list(rows)
    if not found:
        return []
    opened: list[dict[str, Any]] = vault.open_all([row.sealed for row in found], purpose=PURPOSE)
    return [
        KeptDocument(
            id=row.id,
            namespace=tuple(content["namespace"]),
            key=content["key"],
            value=content["value"],
            version=row.version,
            created_at=row.created_at,
            updated_at=row.updated_at,
            expires_at=row.expires_at,
        )
        for row, content in zip(found, opened, strict=True)
    ]
