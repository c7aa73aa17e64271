"""Adaptive items at rest: kept, said again, dropped, forgotten, outdated (SPEC X-7). Words are sealed (D-15)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.errors import NotFound
from memory.extraction.judging.recipes import ADAPTIVE
from memory.extraction.types import Item, ItemDraft
from memory.extraction.unproven.restoring import restore_rows
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.models import AdaptiveItem
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.types import UserRef

PURPOSE: Final = "adaptive_item"
HELD: Final = ("waiting", "active")


def list_held_items(*, user: UserRef) -> list[Item]:
    """The user's items, those that wait for a second evidence among them, oldest first."""
    vault = UserVault(user_id=user.id)
    rows = AdaptiveItem.objects.filter(user_id=user.id, status__in=HELD).order_by("id")
    return [open_item(row, vault=vault) for row in rows]


def open_item(row: AdaptiveItem, *, vault: UserVault) -> Item:
    """A row with its key and value unsealed. Raises SealBroken, UserKeyDestroyed."""
    content = vault.open(row.sealed, purpose=PURPOSE)
    return Item(
        id=row.id,
        item_type=row.item_type,
        key=content["key"],
        value=content["value"],
        confidence=row.confidence,
        evidence_message_ids=tuple(row.evidence_message_ids),
        first_said_at=row.first_said_at,
        last_said_at=row.last_said_at,
        expires_at=row.expires_at,
        is_active=row.status == "active",
        language=row.language,
        is_merged=row.provenance == "analysis",
    )


def keep_item(draft: ItemDraft, *, user: UserRef, run_id: UUID, now: datetime) -> UUID:
    """Store an item, or that it was said again; its id. Another value of a key replaces it. Writes under the lock.

    A habit takes another wording of the same matter as more evidence for it; a preference takes the last word.
    """
    vault = UserVault(user_id=user.id)
    key_hash = vault.fingerprint(draft.item_type, draft.key)
    held = AdaptiveItem.objects.filter(
        user_id=user.id, item_type=draft.item_type, key_hash=key_hash, status__in=HELD
    ).first()
    is_same = held is not None and (
        draft.item_type != "preference" or vault.open(held.sealed, purpose=PURPOSE)["value"] == draft.value
    )
    if held is not None and is_same:
        return _say_again(held, draft, vault=vault, run_id=run_id, now=now)
    if held is not None:
        AdaptiveItem.objects.filter(user_id=user.id, id=held.id).update(status="replaced", updated_at=now)
    status = "active" if draft.is_active else "waiting"
    row = make_row(draft, user=user, vault=vault, status=status, run_id=run_id, now=now)
    row.save(force_insert=True)
    return row.id


def make_row(
    draft: ItemDraft, *, user: UserRef, vault: UserVault, status: str, run_id: UUID, now: datetime
) -> AdaptiveItem:
    """A new item with its key and value sealed, not stored yet."""
    return AdaptiveItem(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        item_type=draft.item_type,
        status=status,
        key_hash=vault.fingerprint(draft.item_type, draft.key),
        sealed=vault.seal({"key": draft.key, "value": draft.value}, purpose=PURPOSE),
        confidence=draft.confidence,
        language=draft.language,
        evidence_message_ids=_cap(draft.evidence_message_ids),
        run_id=run_id,
        first_said_at=draft.first_said_at,
        last_said_at=draft.last_said_at,
        expires_at=draft.last_said_at + ADAPTIVE.lifetime,
        created_at=now,
        updated_at=now,
    )


def _say_again(held: AdaptiveItem, draft: ItemDraft, *, vault: UserVault, run_id: UUID, now: datetime) -> UUID:
    evidence = dict.fromkeys([*held.evidence_message_ids, *draft.evidence_message_ids])
    last_said_at = max(held.last_said_at, draft.last_said_at)
    AdaptiveItem.objects.filter(user_id=held.user_id, id=held.id).update(
        status="active" if draft.is_active or held.status == "active" else "waiting",
        sealed=vault.seal({"key": draft.key, "value": draft.value}, purpose=PURPOSE),
        confidence=max(held.confidence, draft.confidence),
        evidence_message_ids=_cap(evidence),
        run_id=run_id,
        last_said_at=last_said_at,
        expires_at=last_said_at + ADAPTIVE.lifetime,
        updated_at=now,
    )
    return held.id


def _cap(evidence: Any) -> list[UUID]:
    return list(evidence)[-settings.UNDE_TUNING.MAX_EVIDENCE_MESSAGES :]


def drop_item(*, user: UserRef, item_id: UUID, now: datetime) -> None:
    """The user said that it no longer holds. Writes under the lock."""
    AdaptiveItem.objects.filter(user_id=user.id, id=item_id, status__in=HELD).update(status="dropped", updated_at=now)


def deny_items(*, user: UserRef, item_ids: Sequence[UUID], now: datetime) -> int:
    """The user's own words deny them: they are shown no more (SPEC C-1); how many. Writes under the user's lock."""
    rows = AdaptiveItem.objects.filter(user_id=user.id, id__in=list(item_ids), status__in=HELD)
    return rows.update(status="denied", updated_at=now)


def dismiss_item(*, user: UserRef, item_id: UUID, actor: str, now: datetime) -> None:
    """A person says that it is not so: it is shown no more. Writes. Raises NotFound, UserErased, UserBusy."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        rows = AdaptiveItem.objects.filter(user_id=user.id, id=item_id, status__in=HELD)
        if rows.update(status="dismissed", updated_at=now) == 0:
            raise NotFound("This item does not exist.", fields={"item_id": "unknown"})
        record_staff_act(
            tenant_id=user.tenant_id,
            actor=actor,
            action="item.dismiss",
            now=now,
            object_type="adaptive_item",
            object_ids=[item_id, user.id],
        )


def expire_user_items(*, user: UserRef, now: datetime) -> int:
    """Close this user's items that nobody has said again for too long; how many. Writes under the user's lock."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        rows = AdaptiveItem.objects.filter(user_id=user.id, status__in=HELD, expires_at__lte=now)
        return rows.update(status="outdated", updated_at=now)


def hide_items(user: UserRef, message_ids: Sequence[UUID]) -> dict[str, int]:
    """The forget step: items that rest on forgotten messages are held no more (SPEC G-1). Writes."""
    rows = AdaptiveItem.objects.filter(
        user_id=user.id, status__in=HELD, evidence_message_ids__overlap=list(message_ids)
    )
    merged = list(rows.filter(provenance="analysis").values_list("id", flat=True))
    hidden = rows.update(status="forgotten")
    reopen_members(user=user, parents=merged, without=message_ids)
    return {"items_hidden": hidden}


def reopen_members(*, user: UserRef, parents: Sequence[UUID] | None, without: Sequence[UUID] = ()) -> None:
    """Hold again what went into merged items that are gone, where its key is free. Under the user's lock. Writes.

    `parents`: those items; None: any that no row stands for any more. `without`: forgotten messages, and what rests on
    them stays where it is.
    """
    own = AdaptiveItem.objects.filter(user_id=user.id)
    gone = own.filter(status="merged").exclude(evidence_message_ids__overlap=list(without))
    taken = {(name, bytes(key)) for name, key in own.filter(status__in=HELD).values_list("item_type", "key_hash")}
    for row in gone.filter(merged_into=None) if parents is None else gone.filter(merged_into__in=parents):
        slot = (row.item_type, bytes(row.key_hash))
        if slot not in taken:
            taken.add(slot)
            own.filter(id=row.id).update(status="active", merged_into=None)


def restore_items(user: UserRef, message_ids: Sequence[UUID]) -> dict[str, int]:
    """The way back of `hide_items`; a key that is held again meanwhile keeps the newer item.

    What comes back waits for its next mention: whether it had its second evidence is no longer known.
    """
    restored = restore_rows(
        AdaptiveItem,
        user=user,
        message_ids=message_ids,
        kind="item_type",
        held=HELD,
        choose_status=lambda row: "active" if row.item_type == "preference" else "waiting",
    )
    return {"items_restored": restored}


def export_items(user: UserRef) -> Iterator[dict[str, Any]]:
    """The user's items as JSON objects: what a person sees about themselves is complete (SPEC F-7)."""
    with tenant_scope(user.tenant_id):
        held = list_held_items(user=user)
    for item in held:
        fields = {name: getattr(item, name) for name in item.__dataclass_fields__}
        yield {**fields, "kind": "adaptive_item"}
