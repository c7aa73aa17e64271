"""Messages that come together are stored together: group commit for senders of one message at a time.

A message alone takes one to four exchanges with the database and a commit; those that wait at the same time share them
(DeWitt et al. 1984, "Implementation techniques for main memory database systems"). Nobody waits for others to come:
whoever finds nobody at work goes at once, and those who come meanwhile go together after that, in the order in which
they came. Whose user is busy, fenced or being erased is left out and goes alone; when one message of a group is
refused, each goes alone, as if it had met nobody. Edits and replies to a message always do: what they stand in for is
looked for among what is stored.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from memory.ingest.types import Recorded, TenantRef
from memory.services.messages import record_at_once, record_message
from memory.tenants.database_errors import DatabaseUnavailable
from memory.tenants.proof import PendingKey, find_pending, mark_proven, take_over
from memory.types import Draft

LATE_SECONDS: Final = 0.05
"""A group that takes longer, because a lock or the database keeps it, is no longer waited for."""

MOST_TOGETHER: Final = 50
"""Messages of one group, however many the gate lets work at a time: nobody waits for all of a crowd's texts."""


@dataclass(slots=True, eq=False)
class _Message:
    """One sender's message, and what became of it: an answer, or none, when it is to go alone.

    `is_uncertain`: whoever stored it did not come back to say whether it is stored, so it must not be stored again.
    """

    draft: Draft
    now: datetime
    pending: PendingKey | None
    called: threading.Event = field(default_factory=threading.Event)
    is_done: bool = False
    is_proven: bool = False
    is_uncertain: bool = False
    answer: Recorded | None = None


@dataclass(slots=True, eq=False)
class _Group:
    """What one sender stores for all of them, in the order in which they came."""

    messages: list[_Message]
    began: float


class _Crowd:
    """The senders who use one key of one tenant."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_Message] = []
        self._working: list[_Group] = []

    def enter(self, one: _Message) -> _Group | None:
        """Come in: the group to store, or None where one has to wait for `called`."""
        with self._lock:
            self._waiting.append(one)
            return self._gather(one)

    def try_again(self, one: _Message) -> _Group | None:
        """As `enter`, for one who is there, and was called or has waited long."""
        with self._lock:
            return self._gather(one)

    def leave(self, group: _Group) -> None:
        """The group's work is over, well or not: everybody in it is told, and the next is called to lead."""
        with self._lock:
            self._working.remove(group)
            for one in group.messages:
                one.is_done = True
                one.called.set()
            if self._waiting:
                self._waiting[0].called.set()

    def _gather(self, one: _Message) -> _Group | None:
        now = time.monotonic()
        if one not in self._waiting or any(now - group.began < LATE_SECONDS for group in self._working):
            one.called.clear()
            return None
        chosen = self._waiting[:MOST_TOGETHER]
        if one not in chosen:
            chosen[-1] = one
        self._waiting = [each for each in self._waiting if each not in chosen]
        group = _Group(chosen, now)
        self._working.append(group)
        return group


_crowds: Final[dict[tuple[TenantRef, str], _Crowd]] = {}  # of each key that has sent anything here
_crowds_lock: Final = threading.Lock()


def record_message_jointly(*, tenant: TenantRef, draft: Draft, actor: str, now: datetime) -> Recorded:
    """As `record_message`, in one transaction with what others who use the same key send at the same time. Writes.

    Raises what `record_message` raises, and DatabaseUnavailable where the transaction may be stored, or not. Not for
    use inside a transaction: others' messages would become part of it.
    """
    if draft.replaces_id or draft.reply_to_id:
        return record_message(tenant=tenant, draft=draft, actor=actor, now=now)
    one = _Message(draft, now, find_pending(tenant.id))
    crowd = _find_crowd(tenant, actor)
    group = crowd.enter(one)
    while group is None and not one.is_done:
        one.called.wait(LATE_SECONDS)
        group = crowd.try_again(one)
    if group is not None:
        try:
            if len(group.messages) == 1:
                return record_message(tenant=tenant, draft=draft, actor=actor, now=now)
            _record(group, tenant=tenant, actor=actor)
        finally:
            crowd.leave(group)
    if one.is_proven:
        mark_proven(tenant.id)
    if one.is_uncertain:
        raise DatabaseUnavailable
    if one.answer is not None:
        return one.answer
    return record_message(tenant=tenant, draft=draft, actor=actor, now=now)


def _record(group: _Group, *, tenant: TenantRef, actor: str) -> None:
    """Store what can be stored together, and note with each message what became of it."""
    messages = group.messages
    drafts = [one.draft for one in messages]
    # The earliest: what a message changes may not be later than what the same message states.
    now = min(one.now for one in messages)
    if find_pending(tenant.id) is None:
        # The key of whoever leads may have been looked up before others came: their key is to be confirmed, too.
        take_over(next((one.pending for one in messages if one.pending is not None), None))
    for one in messages:
        one.is_uncertain = True
    answers = record_at_once(tenant=tenant, drafts=drafts, actor=actor, now=now)
    is_proven = find_pending(tenant.id) is None
    for one, answer in zip(messages, answers, strict=True):
        one.answer, one.is_proven, one.is_uncertain = answer, is_proven, False


def _find_crowd(tenant: TenantRef, actor: str) -> _Crowd:
    with _crowds_lock:
        return _crowds.setdefault((tenant, actor), _Crowd())
