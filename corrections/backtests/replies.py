"""What a message corrects by two sets side by side: for backtests of phrases (SPEC I-2, C-1). Reads only."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from corrections.backtests.comparing import ADDED, CHANGED, LOST, SUPERSEDED
from corrections.recognition.detector import detect, get_vocabulary, may_correct, read_reply
from corrections.recognition.texts import Text
from corrections.recognition.types import Detection, Operation
from memory.facts.reading import list_facts_as_of
from memory.models import Message
from memory.selectors.messages import list_previous_messages
from memory.types import UserRef
from patterns.rules.ruleset import RuleSet

_TURN_MESSAGES = 4


def compare_replies(
    message: Message, *, user: UserRef, said_at: datetime, live: RuleSet, tried: RuleSet
) -> list[tuple[str, str]]:
    """(change, knowledge type) of each operation that the second set does and the first does not, or the reverse.

    By the turn before it in RAW and the facts that held when it was said; `superseded` is an added new value. Raises
    CodedError where the user's facts can not be opened.
    """
    if not any(may_correct(read_reply(message.content, rule_set=rule_set)) for rule_set in (live, tried)):
        return []
    facts = list_facts_as_of(user=user, moment=message.created_at - timedelta(microseconds=1))
    if not facts:
        return []
    turn = _find_turn(message, user)
    before, after = (
        detect(message.content, previous_turn=turn, facts=facts, said_at=said_at, rule_set=rule_set)
        for rule_set in (live, tried)
    )
    return compare_detections(before, after)


def compare_detections(before: Detection, after: Detection) -> list[tuple[str, str]]:
    """What two detections of one reply do otherwise, by fact. Pure."""
    old = {operation.slot: operation for operation in before.operations}
    new = {operation.slot: operation for operation in after.operations}
    changes = [(LOST, slot[0]) for slot in old if slot not in new]
    for slot, operation in new.items():
        was = old.get(slot)
        if was is None:
            changes.append((SUPERSEDED if operation.kind == "set" and operation.fact else ADDED, slot[0]))
        elif _effect(was) != _effect(operation):
            changes.append((CHANGED, slot[0]))
    return changes


def find_changed_place(text: str, *, live: RuleSet, tried: RuleSet) -> tuple[int, int]:
    """[start, end) of the first words that only one of the sets takes for a phrase; the first letter where none are."""
    old, new = (get_vocabulary(rule_set).read(text) for rule_set in (live, tried))
    for one, other in ((new, old), (old, new)):
        known = _list_cues(other)
        start, end = min((cue for cue in _list_cues(one) if cue not in known), default=("", 0, 0))[1:]
        if end:
            tokens = one.message.tokens
            return one.message.normal.raw_span(tokens[start].start, tokens[end - 1].end)
    return (0, min(1, len(text)))


def _list_cues(text: Text) -> set[tuple[str, int, int]]:
    return {(f"{c.category}.{c.meaning}", c.start, c.end) for cues in text.cues.values() for c in cues}


def _effect(operation: Operation) -> tuple[object, ...]:
    return (operation.kind, operation.value if operation.kind == "set" else None, operation.expires_on)


def _find_turn(message: Message, user: UserRef) -> str | None:
    """The run of the assistant's messages right before, joined."""
    run: list[str] = []
    for previous in list_previous_messages(
        user=user,
        conversation_id=message.conversation_id,
        before=message.created_at,
        before_seq=message.seq,
        limit=_TURN_MESSAGES,
    ):
        if (
            previous.role != "assistant"
            or message.created_at - previous.created_at > settings.UNDE_TUNING.TURN_LIFETIME
        ):
            break
        run.append(previous.content)
    return "\n".join(reversed(run)) if run else None
