"""Kept items out: one, those under a namespace, namespaces. An item whose time is up is not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from memory.kept.models import KeptItem
from memory.kept.namespaces import fits, list_fitting
from memory.kept.paths import PURPOSE, SEARCH_PURPOSE, hash_path, hash_prefix
from memory.kept.types import ANY_LABEL, Condition, KeptDocument, Namespace, Searchable
from memory.sealing.vault import UserVault
from memory.types import UserRef


def find_item(
    *, user: UserRef, namespace: Namespace, key: str, now: datetime, version: int | None = None
) -> KeptDocument | None:
    """A document in its newest version, or in the one asked for, if it is there."""
    vault = UserVault(user_id=user.id)
    rows = _list_live(user, now).filter(path_hash=hash_path(vault, namespace, key))
    if version is None:
        return next(iter(_open(vault, rows.filter(replaced_at=None))), None)
    return next(iter(_open(vault, rows.filter(version=version))), None)


def list_items(*, user: UserRef, prefix: Namespace, now: datetime) -> list[KeptDocument]:
    """The documents whose namespace begins with `prefix`, the latest change first. A prefix may have `*` for any."""
    vault = UserVault(user_id=user.id)
    found = _open(vault, _list_under(user, vault, prefix, now))
    return [item for item in found if fits(item.namespace, Condition("prefix", prefix))]


def list_searchable(*, user: UserRef, prefix: Namespace, now: datetime) -> list[Searchable]:
    """As `list_items`, of those that are searched by words, with what the search was given of each."""
    vault = UserVault(user_id=user.id)
    rows = list(_list_under(user, vault, prefix, now).exclude(sealed_search=None))
    if not rows:
        return []
    data = vault.open_all([row.sealed_search for row in rows if row.sealed_search is not None], purpose=SEARCH_PURPOSE)
    pairs = zip(_open(vault, rows), data, strict=True)
    return [Searchable(item, one) for item, one in pairs if fits(item.namespace, Condition("prefix", prefix))]


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
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE kept_item SET expires_at = %s::timestamptz + make_interval(secs => ttl_seconds)"
                " WHERE user_id = %s AND id = ANY(%s) AND ttl_seconds IS NOT NULL",
                [now, user.id, ids],
            )


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
