"""Tastes and habits that are alike become one item, by an action that can be taken back (SPEC X-7, BRAIN 2.3.0.1 D).

The members stay, named by what took their place; evidence is united. The action names its members by type, hash of the
key and the moment of their making, so that a rebuild finds them among the items that it makes of the stored answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import fetch_rows
from memory.errors import NotFound
from memory.extraction.judging.likeness import Alike, find_alike, merge_alike, read_side
from memory.extraction.unproven.items import HELD, make_row, open_item, reopen_members
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.models import AdaptiveItem
from memory.registries import text_vectors
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.types import UserRef
from patterns.registry import get_rule_set

ACTOR: Final = "system:calibration"
# Index: items_to_compare. Of tenants with the policy alone.
_USERS: Final = """
SELECT i.user_id FROM adaptive_item i
 WHERE i.tenant_id = %s AND i.status = 'active' AND NOT i.is_apart AND i.user_id > %s
   AND (SELECT t.settings ->> 'is_adaptive_policy_on' = 'true' FROM tenant t WHERE t.id = i.tenant_id)
 GROUP BY i.user_id HAVING count(*) >= 2 ORDER BY i.user_id LIMIT %s
"""


def list_users_to_merge(*, tenant_id: UUID, after: UUID) -> list[UUID]:
    """The next users of the tenant with items to compare, in the order of their ids. In a tenant scope."""
    return [row[0] for row in fetch_rows(_USERS, [tenant_id, after, settings.UNDE_TUNING.CALIBRATION_USERS_AT_ONCE])]


def merge_user(*, user: UserRef, now: datetime) -> int:
    """Merge the user's items that are alike; how many were made. Writes under the user's lock, in a tenant scope.

    What was merged into an item that an erasure took is held again first.
    """
    reopen_members(user=user, parents=None)
    rows = list(AdaptiveItem.objects.filter(user_id=user.id, status="active", is_apart=False).order_by("id"))
    if len(rows) < 2:
        return 0
    vault = UserVault(user_id=user.id)
    items = [open_item(row, vault=vault) for row in rows]
    rules, values = get_rule_set(tenant_id=user.tenant_id), [item.value for item in items]
    groups = find_alike(
        items,
        vectors=next(iter(text_vectors))(values),
        sides=[read_side(value, rules) for value in values],
        similarity=settings.UNDE_TUNING.MERGE_SIMILARITY,
        at_least=settings.UNDE_TUNING.MERGE_AT_LEAST,
    )
    by_id = {row.id: row for row in rows}
    for alike in groups:
        members = [by_id[item.id] for item in alike.items]
        item_id = new_id()
        _note("merge", _describe(alike, members, item_id), user=user, actor=ACTOR, now=now)
        replace_by_one(members, alike, item_id=item_id, vault=vault, now=now)
    return len(groups)


def replace_by_one(
    members: Sequence[AdaptiveItem], alike: Alike, *, item_id: UUID, vault: UserVault, now: datetime
) -> None:
    """Store the item that the members make and name it in them. Writes under the user's lock."""
    first = members[0]
    draft = merge_alike(alike, most=settings.UNDE_TUNING.MAX_EVIDENCE_MESSAGES)
    own = AdaptiveItem.objects.filter(user_id=first.user_id)
    own.filter(id__in=[row.id for row in members]).update(status="merged", merged_into=item_id, updated_at=now)
    user = UserRef(id=first.user_id, tenant_id=first.tenant_id)
    row = make_row(draft, user=user, vault=vault, status="active", run_id=first.run_id, now=now)
    row.id, row.provenance = item_id, "analysis"
    row.save(force_insert=True)


def part_item(*, user: UserRef, item_id: UUID, actor: str, now: datetime) -> int:
    """A person takes a merging back: its members are held again and never merged; how many. Writes, audited.

    Raises NotFound, UserErased, UserBusy.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        if not _find_merged(user, item_id).exists():
            raise NotFound("This item does not exist, or is not made of several.", fields={"item_id": "unknown"})
        _note("part", {"item_id": str(item_id)}, user=user, actor=actor, now=now)
        count = put_apart(user=user, item_id=item_id, now=now)
        record_staff_act(
            tenant_id=user.tenant_id,
            actor=actor,
            action="item.part",
            now=now,
            object_type="adaptive_item",
            object_ids=[item_id, user.id],
        )
    return count


def put_apart(*, user: UserRef, item_id: UUID, now: datetime) -> int:
    """Close a merged item and hold its members again; what was said since the merging goes to the one that stood for
    them. Writes under the user's lock."""
    merged = _find_merged(user, item_id).first()
    if merged is None:
        return 0
    own = AdaptiveItem.objects.filter(user_id=user.id)
    members = own.filter(merged_into=item_id)
    known = {message_id for row in members for message_id in row.evidence_message_ids}
    ids = list(members.values_list("id", flat=True))
    own.filter(id=item_id).update(status="replaced", updated_at=now)
    members.update(is_apart=True, updated_at=now)
    reopen_members(user=user, parents=[item_id])
    new = [message_id for message_id in merged.evidence_message_ids if message_id not in known]
    if new:
        for row in own.filter(id__in=ids, key_hash=merged.key_hash, status__in=HELD):
            evidence = [*row.evidence_message_ids, *new][-settings.UNDE_TUNING.MAX_EVIDENCE_MESSAGES :]
            own.filter(id=row.id).update(
                evidence_message_ids=evidence, last_said_at=merged.last_said_at, expires_at=merged.expires_at
            )
    return len(ids)


def merge_again(detail: Mapping[str, Any], *, user: UserRef, now: datetime) -> None:
    """What a logged merging did, to items made anew. Writes under the user's lock."""
    vault = UserVault(user_id=user.id)
    members = [row for one in detail.get("members", ()) if (row := find_logged(one, user=user)) is not None]
    if members:
        items = tuple(open_item(row, vault=vault) for row in members)
        alike = Alike(items, detail["likeness"])
        replace_by_one(members, alike, item_id=UUID(detail["item_id"]), vault=vault, now=now)


def describe_row(row: AdaptiveItem) -> dict[str, str]:
    """How an action names an item: its id, and what a rebuild knows it by. Codes and a hash under the user's key."""
    return {
        "id": str(row.id),
        "type": row.item_type,
        "key": bytes(row.key_hash).hex(),
        "created_at": row.created_at.isoformat(),
    }


def describe_items(*, user: UserRef, item_ids: Sequence[UUID]) -> list[dict[str, str]]:
    """How an action names held items. Reads only."""
    rows = AdaptiveItem.objects.filter(user_id=user.id, id__in=list(item_ids), status__in=HELD)
    return [describe_row(row) for row in rows.order_by("id")]


def find_logged(named: Mapping[str, str], *, user: UserRef) -> AdaptiveItem | None:
    """The held item that an action named. Reads only."""
    rows = AdaptiveItem.objects.filter(user_id=user.id, item_type=named["type"], status__in=HELD)
    return rows.filter(
        key_hash=bytes.fromhex(named["key"]), created_at=datetime.fromisoformat(named["created_at"])
    ).first()


def _find_merged(user: UserRef, item_id: UUID) -> Any:
    return AdaptiveItem.objects.filter(user_id=user.id, id=item_id, provenance="analysis", status__in=HELD)


def _describe(alike: Alike, members: Sequence[AdaptiveItem], item_id: UUID) -> dict[str, Any]:
    return {
        "item_id": str(item_id),
        "rule": "alike",
        "likeness": alike.likeness,
        "limit": settings.UNDE_TUNING.MERGE_SIMILARITY,
        "members": [describe_row(row) for row in members],
    }


def _note(kind: str, detail: dict[str, Any], *, user: UserRef, actor: str, now: datetime) -> None:
    ledger = load_ledger(user=user, now=now)
    ledger.open_action(kind=kind, said_at=now).detail = detail
    save_ledger(ledger, user=user, actor=actor, now=now)
