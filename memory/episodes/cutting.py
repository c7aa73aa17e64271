"""Conversations cut into episodes, stored (SPEC L-1, D-44). Everything here works under the user's lock.

Only what has changed is cut anew: a session that holds the same messages as before is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import F

from memory.database.statements import fetch_row
from memory.episodes.cuts import Sessions, cut_episodes, list_sessions
from memory.episodes.raw import Stretch, find_new_stretch, list_closes, list_said, list_stretches, read_marks, widen
from memory.episodes.storing import delete_episodes, list_stored_cuts, store_cuts
from memory.episodes.types import Cut, SaidMessage
from memory.fence.consents import list_withheld
from memory.fence.user_lock import lock_user
from memory.models import Conversation
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

EVER = Stretch(datetime.fromisoformat("0001-01-01T00:00:00+00:00"), datetime.fromisoformat("9999-12-31T00:00:00+00:00"))


@dataclass(slots=True)
class CutOutcome:
    """What cutting did: episodes written and removed."""

    written: int = 0
    removed: int = 0
    open_since: datetime | None = None
    """The end of a session that is still going on and was left alone."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """One user's cutting: the marks are read once for all conversations."""

    user: UserRef
    now: datetime
    closes_open: bool = False
    """Cut what is still going on too."""
    is_anew: bool = False
    """Cut what has not changed too: the recipe may have."""
    marks: dict[UUID, bool] = field(default_factory=dict)
    is_withheld: bool = False
    """Whether the user has not agreed that episodes are made: then there are none."""


def make_cutting(*, user: UserRef, now: datetime, closes_open: bool = False, is_anew: bool = False) -> Cutting:
    """What all cuts of a user need. In a tenant scope. Reads only."""
    is_withheld = "episodes" in list_withheld(user=user)
    return Cutting(user, now, closes_open, is_anew, read_marks(user=user), is_withheld)


def cut_user(*, user: UserRef, now: datetime, conversation_id: UUID | None = None, closes_open: bool = False) -> int:
    """Cut what is new in a user's conversations, or in one of them; how many episodes were written.

    A session that is still going on is left alone unless `closes_open`. Raises UserBusy, UserErased. Writes.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        rows = Conversation.objects.filter(user_id=user.id, cut_due_at__isnull=False)
        if conversation_id:
            rows = rows.filter(id=conversation_id)
        cutting = make_cutting(user=user, now=now, closes_open=closes_open)
        return sum(cut_conversation(cutting, row).written for row in rows.order_by("id"))


def cut_conversation(cutting: Cutting, conversation: Conversation) -> CutOutcome:
    """Cut what came into a conversation since it was looked at last. In a tenant scope, under the lock. Writes."""
    user, gap = cutting.user, settings.UNDE_TUNING.SESSION_GAP
    outcome = CutOutcome()
    stretch: Stretch | None = EVER
    if conversation.cut_seq and not cutting.is_anew:
        stretch = find_new_stretch(user=user, conversation_id=conversation.id, after_seq=conversation.cut_seq)
        stretch = stretch and widen(stretch, user=user, conversation_id=conversation.id, gap=gap)
    if stretch:
        outcome = cut_stretch(cutting, conversation.id, stretch)
    rows = Conversation.objects.filter(user_id=user.id, id=conversation.id)
    if outcome.open_since:  # looked at again, from the same place, when it is over
        rows.update(cut_due_at=outcome.open_since + gap)
    else:
        rows.update(cut_due_at=None, cut_seq=F("last_seq"))
    return outcome


def cut_messages_anew(*, user: UserRef, message_ids: Sequence[UUID], now: datetime) -> CutOutcome:
    """Cut the sessions anew in which messages stand that were hidden or shown again. In the caller's transaction.

    A session that was not cut before stays so.
    """
    total = CutOutcome()
    cutting = make_cutting(user=user, now=now)
    for conversation_id, stretch in list_stretches(
        user=user, message_ids=message_ids, gap=settings.UNDE_TUNING.SESSION_GAP
    ):
        outcome = cut_stretch(cutting, conversation_id, stretch, only_known=True)
        total.written += outcome.written
        total.removed += outcome.removed
    return total


def cut_stretch(cutting: Cutting, conversation_id: UUID, stretch: Stretch, *, only_known: bool = False) -> CutOutcome:
    """Make the episodes of a stretch what its messages give. The stretch holds whole sessions (`raw.widen`). Writes.

    With `only_known` a conversation of which nothing is cut yet is left alone.
    """
    user = cutting.user
    stored = list_stored_cuts(user=user, conversation_id=conversation_id, stretch=stretch)
    if only_known and not stored and not _is_cut(user, conversation_id, stretch):
        return CutOutcome()
    said = list_said(user=user, conversation_id=conversation_id, stretch=stretch)
    messages = [] if cutting.is_withheld else said
    closes = list_closes(user=user, conversation_id=conversation_id)
    sessions = list_sessions(messages, gap=settings.UNDE_TUNING.SESSION_GAP, closes=closes)
    open_session = _find_open(cutting, sessions, closes, stored)
    kept, cuts = _cut_changed(cutting, sessions, stored, skipped=open_session)
    gone = [episode_id for episode_id in stored if episode_id not in kept and episode_id not in {c.id for c in cuts}]
    delete_episodes(user=user, episode_ids=gone)
    store_cuts(user=user, conversation_id=conversation_id, cuts=cuts, now=cutting.now)
    since = open_session[-1].created_at if open_session else None
    return CutOutcome(written=len(cuts), removed=len(gone), open_since=since)


def _is_cut(user: UserRef, conversation_id: UUID, stretch: Stretch) -> bool:
    """Whether cutting has looked at a stretch: it may have found nothing visible there."""
    rows = Conversation.objects.filter(user_id=user.id, id=conversation_id)
    found = rows.values_list("cut_seq", flat=True).first() or 0
    return (
        found > 0
        and int(
            fetch_row(
                "SELECT count(*) FROM memory_message WHERE user_id = %s AND conversation_id = %s"
                " AND created_at BETWEEN %s AND %s AND seq > %s",
                [user.id, conversation_id, stretch.first, stretch.last, found],
            )[0]
        )
        == 0
    )


def _find_open(
    cutting: Cutting, sessions: Sessions, closes: Sequence[datetime], stored: Mapping[UUID, Sequence[UUID]]
) -> Sequence[SaidMessage] | None:
    """The session that is still going on, if there is one of which nothing is cut yet."""
    if cutting.closes_open or not sessions:
        return None
    last = sessions[-1]
    end = last[-1].created_at
    is_over = end + settings.UNDE_TUNING.SESSION_GAP <= cutting.now or any(at >= end for at in closes)
    known = {message_id for ids in stored.values() for message_id in ids}
    return None if is_over or any(message.id in known for message in last) else last


def _cut_changed(
    cutting: Cutting,
    sessions: Sessions,
    stored: Mapping[UUID, Sequence[UUID]],
    *,
    skipped: Sequence[SaidMessage] | None,
) -> tuple[set[UUID], list[Cut]]:
    """The stored episodes of sessions that hold the same messages, and those of the others, cut."""
    episodes = {message_id: episode_id for episode_id, ids in stored.items() for message_id in ids}
    kept: set[UUID] = set()
    cuts: list[Cut] = []
    for session in sessions:
        if session is skipped:
            continue
        named = {episodes.get(message.id) for message in session}
        same = None not in named and sum(len(stored[each]) for each in named if each) == len(session)
        if same and not cutting.is_anew:
            kept |= {each for each in named if each}
        else:
            cuts.extend(cut_episodes(cutting.user.id, session, marks=cutting.marks))
    return kept, cuts
