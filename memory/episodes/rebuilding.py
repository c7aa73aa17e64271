"""Episodes made anew from the two logs, and held against what is stored (SPEC M-4). Layers are the night's (D-44)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from msgspec import Struct, structs

from memory.episodes.cutting import cut_conversation, make_cutting
from memory.episodes.models import Episode
from memory.episodes.recipe import VERSION
from memory.episodes.selectors import list_message_ids
from memory.episodes.storing import open_contents
from memory.models import Conversation
from memory.registries import DerivedDifference
from memory.sealing.errors import SealBroken
from memory.sealing.vault import UserVault
from memory.types import UserRef

TABLE: Final = "episode"


class Compared(Struct, frozen=True):
    """What of an episode follows from messages and actions."""

    conversation_id: UUID
    session_started_at: datetime
    started_at: datetime
    ended_at: datetime
    message_ids: tuple[UUID, ...]
    contents: object
    is_kept: bool
    version: int


def rebuild_user(user: UserRef) -> int:
    """Cut all of a user's conversations anew; how many episodes there are now. Under the user's lock. Writes."""
    cutting = make_cutting(user=user, now=datetime.now(UTC), is_anew=True)
    for conversation in Conversation.objects.filter(user_id=user.id).order_by("id"):
        cut_conversation(cutting, conversation)
    return Episode.objects.filter(user_id=user.id).count()


def compare_user(user: UserRef) -> list[DerivedDifference]:
    """Episodes that are stored otherwise than a rebuild would cut them. Changes nothing. Under the user's lock.

    Conversations that wait for being cut are left out: what is new in them is no drift.
    """
    waiting = set(Conversation.objects.filter(user_id=user.id, cut_due_at__isnull=False).values_list("id", flat=True))
    stored = _read(user, waiting)
    with transaction.atomic():
        rebuild_user(user)
        rebuilt = _read(user, waiting)
        transaction.set_rollback(True)
    return [
        found
        for episode_id in sorted(stored.keys() | rebuilt.keys())
        if (found := _compare(episode_id, stored.get(episode_id), rebuilt.get(episode_id)))
    ]


def _read(user: UserRef, waiting: set[UUID]) -> dict[UUID, Compared]:
    rows = list(Episode.objects.filter(user_id=user.id).exclude(conversation_id__in=waiting).order_by("id"))
    messages = list_message_ids(user=user, episode_ids=[row.id for row in rows])
    vault = UserVault(user_id=user.id)
    return {
        row.id: Compared(
            row.conversation_id,
            row.session_started_at,
            row.started_at,
            row.ended_at,
            tuple(messages.get(row.id, ())),
            _open(row, vault),
            row.is_kept,
            row.version,
        )
        for row in rows
    }


def _open(row: Episode, vault: UserVault) -> object:
    """The words; None for what no key opens, and for a model's, which no rebuild can make."""
    if row.made_by:
        return None
    try:
        return open_contents([row.sealed], vault)[0]
    except SealBroken:
        return None


def _compare(episode_id: UUID, stored: Compared | None, rebuilt: Compared | None) -> DerivedDifference | None:
    one = stored or rebuilt
    if stored == rebuilt or one is None or not one.message_ids:
        return None
    if stored is None or rebuilt is None:
        problem = "missing" if stored is None else "unfounded"
        reason = "engine_changed" if stored and stored.version != VERSION else "drift"
        return DerivedDifference(TABLE, one.message_ids[-1], problem, reason=reason, row_id=episode_id)
    names = [name for name in structs.asdict(stored) if name != "contents" or stored.contents is not None]
    columns = tuple(name for name in names if getattr(stored, name) != getattr(rebuilt, name))
    if not columns:
        return None
    reason = "engine_changed" if "version" in columns else "drift"
    return DerivedDifference(TABLE, one.message_ids[-1], "different", columns, reason, episode_id)
