"""A denial reaches tastes and habits in the message's own transaction, beside facts (SPEC C-1, X-7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from corrections.recognition.detector import read_reply
from corrections.recognition.leanings import find_denied_leanings
from corrections.recognition.texts import Text
from corrections.recognition.types import Detection
from memory.extraction.judging.tastes import may_speak_of_taste
from memory.extraction.types import Item
from memory.extraction.unproven.items import deny_items, list_held_items
from memory.extraction.unproven.merging import describe_items
from memory.facts.ledger import PendingAction
from memory.ids import new_id
from memory.storing.reading import note_failure
from memory.storing.types import CorrectionOutcome, Ingest
from memory.types import RecordedMessage
from patterns.steps.language import detect_language

CLOSED = "item_closed"


def deny_leanings(
    ingest: Ingest,
    message: RecordedMessage,
    *,
    detection: Detection | None,
    read: Callable[[], Text],
    find_heard: Callable[[], tuple[UUID, str] | None],
) -> None:
    """Note a correction of the user's tastes and habits that the message denies; `close_denied` closes them.

    Most messages pass the gate without a look at what is held. A rebuild takes it from the log. `read`: the message as
    a reply; `find_heard`: id and words of the assistant's turn right before.
    """
    is_denial = detection is not None and detection.correction_type == "user_denied" and not detection.operations
    if ingest.is_replay or not (is_denial or may_speak_of_taste(ingest.reader.analyse(message.content))):
        return
    items = ingest.keep_items(lambda: list_held_items(user=ingest.user))
    if not items:
        return
    heard = find_heard()
    try:
        turn = read_reply(heard[1], rule_set=ingest.reader.rule_set) if heard else None
        found = find_denied_leanings(read(), turn=turn, items=items, is_denial=is_denial)
    except Exception as error:
        note_failure(error, step="leaning")
        return
    told = [(item, kind) for item, kind in found if item.last_said_at <= message.created_at]
    if told:
        _close(ingest, message, told, heard=heard, language=detect_language(read().message))


def close_denied(ingest: Ingest) -> None:
    """Close what the new messages denied. Writes, in the ingest transaction."""
    if ingest.denied_items:
        deny_items(user=ingest.user, item_ids=ingest.denied_items, now=ingest.now)


def _close(
    ingest: Ingest,
    message: RecordedMessage,
    found: Sequence[tuple[Item, str]],
    *,
    heard: tuple[UUID, str] | None,
    language: str,
) -> None:
    action = _find_own_action(ingest, message) or ingest.ledger.open_action(
        kind="correction", said_at=message.created_at, message_id=message.id
    )
    entries = [describe_closing(kind, item.id) for item, kind in found]
    action.detail["corrections"] = [*action.detail.get("corrections", ()), *entries]
    action.detail.setdefault("corrected_message_id", str(heard[0]) if heard else None)
    action.detail.setdefault("language", language)
    closed = [item.id for item, _ in found]
    action.detail["denied_items"] = describe_items(user=ingest.user, item_ids=closed)
    ingest.deny_items(closed)
    ingest.corrections.setdefault(message.id, []).extend(make_closing(entry) for entry in entries)


def _find_own_action(ingest: Ingest, message: RecordedMessage) -> PendingAction | None:
    """The correction that the same message has made already: one message is one correction."""
    actions = ingest.touched_ledger.actions if ingest.touched_ledger else []
    return next((each for each in actions if each.kind == "correction" and each.message_id == message.id), None)


def describe_closing(kind: str, item_id: UUID) -> dict[str, Any]:
    """One closed item as the action log keeps it: for a repeated client id, and for the correction log."""
    nothing = dict.fromkeys(("fact_id", "deactivated_id", "disputed_id", "set_id"))
    return {"id": str(new_id()), "correction_type": kind, "action": CLOSED, "item_id": str(item_id), **nothing}


def make_closing(entry: dict[str, Any]) -> CorrectionOutcome:
    """A closed item as the answer to the message names it."""
    return CorrectionOutcome(
        id=UUID(entry["id"]),
        correction_type=entry["correction_type"],
        fact_id=None,
        action=entry["action"],
        item_id=UUID(entry["item_id"]),
    )
