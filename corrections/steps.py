"""The room's ingest step: what a reply says is wrong changes memory in the same transaction (SPEC C-1, M-2)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings

from corrections.denials import close_denied, deny_leanings
from corrections.metrics import CORRECTIONS, FACTS_DEACTIVATED, FACTS_DISPUTED
from corrections.recognition.claims import may_answer_claim
from corrections.recognition.detector import detect, get_vocabulary, may_change, may_concern, may_correct, read_reply
from corrections.recognition.texts import Text
from corrections.recognition.types import Detection, Operation
from corrections.services.log import insert_corrections
from memory.dates import end_of_day
from memory.facts.ledger import PendingAction
from memory.ids import new_id
from memory.storing.reading import TextReader, note_failure
from memory.storing.types import TURN_LENGTH, Affirmation, CorrectionOutcome, Ingest, IngestStep
from memory.types import Draft, Fact, FactChange, RecordedMessage, Statement
from patterns.text.recurring import MAX_CHARACTERS
from retrieval.receipts.reading import find_receipt
from retrieval.replies.feedback import confirm_pack


@dataclass(frozen=True, slots=True)
class Turn:
    """The assistant's words that a reply answers: the run of its messages right before."""

    message_id: UUID
    content: str
    receipt_id: UUID | None


class RecogniseCorrections(IngestStep):
    """Runs before instant facts are read and leaves them the keys that it has dealt with (D-31)."""

    def read(self, drafts: Sequence[Draft], *, reader: TextReader, zone: ZoneInfo) -> None:
        """Reads what people say as replies, where that does not depend on who says it."""
        if reader.rule_set.has_trials:
            return
        said = list(dict.fromkeys(draft.content for draft in drafts if draft.role == "user"))
        if len(said) > 1:
            read_together(said, reader)
        for content in said:
            text = read_text(content, reader)
            if may_correct(text) or may_answer_claim(text):
                reader.note_concern(content)

    def on_message(self, ingest: Ingest, message: RecordedMessage) -> None:
        """Change the ledger as the reply asks. Most messages pass the gates without a look at facts or history."""
        if message.role != "user":
            return
        detection = self._correct_facts(ingest, message)
        deny_leanings(
            ingest,
            message,
            detection=detection,
            read=lambda: read_message(ingest, message),
            find_heard=lambda: _name_turn(find_turn(ingest, message)),
        )

    def _correct_facts(self, ingest: Ingest, message: RecordedMessage) -> Detection | None:
        """What the reply asks of facts, and what it denies that no fact bears: carried out on the ledger."""
        # Cheapest first: what was said before and the facts themselves are looked at for few messages.
        may_answer, has_facts = may_follow_assistant(ingest, message), ingest.may_have_facts
        if not (may_answer or has_facts):
            return None
        text = read_message(ingest, message)
        if not _may_answer(ingest, message, has_facts=has_facts) or not (may_answer or may_change(text)):
            return None
        turn = find_turn(ingest, message) if may_answer else None
        if turn is None and not (has_facts and may_change(text)):
            return None
        facts = ingest.ledger.list_facts() if has_facts else []
        if not facts and not may_answer_claim(text):
            return None
        detection = find_corrections(ingest, message, text, turn, facts)
        if detection is not None:
            apply_all(ingest, message, turn, detection)
        return detection

    def finish(self, ingests: Sequence[Ingest]) -> None:
        """Write the log of all messages, one statement a user that corrected something, and count.

        Packs that a reply calls just right were of use.
        """
        for ingest in ingests:
            close_denied(ingest)
            for affirmed in ingest.affirmed:
                confirm_affirmed(ingest, affirmed)
            actions = list_corrections(ingest)
            if actions:
                insert_corrections(user=ingest.user, actions=actions, now=ingest.now)
                ingest.when_stored.extend(partial(count_corrections, action) for action in actions)


def _name_turn(turn: Turn | None) -> tuple[UUID, str] | None:
    return (turn.message_id, turn.content) if turn else None


def list_corrections(ingest: Ingest) -> list[PendingAction]:
    """The actions of a user's new messages that corrected something."""
    actions = ingest.touched_ledger.actions if ingest.touched_ledger else []
    return [action for action in actions if action.kind == "correction" and "corrections" in action.detail]


def confirm_affirmed(ingest: Ingest, affirmed: Affirmation) -> None:
    """Note that a pack was of use (SPEC C-4)."""
    confirm_pack(
        user=ingest.user,
        receipt_id=affirmed.receipt_id,
        assistant_message_id=affirmed.assistant_message_id,
        fact_ids=affirmed.fact_ids,
        now=ingest.now,
    )


def _may_answer(ingest: Ingest, message: RecordedMessage, *, has_facts: bool) -> bool:
    """Whether a message may correct a fact, where there are some, or answer a claim that no fact bears."""
    text = read_message(ingest, message)
    return (has_facts and may_correct(text)) or may_answer_claim(text)


def find_corrections(
    ingest: Ingest, message: RecordedMessage, text: Text, turn: Turn | None, facts: Sequence[Fact]
) -> Detection | None:
    """What the reply asks of these facts; None where it concerns none, and where that cannot be told."""
    given = list_given_facts(ingest, turn)
    try:
        if turn is None and not may_concern(text, facts):
            return None
        return detect(
            message.content,
            previous_turn=turn.content if turn else None,
            facts=facts,
            said_at=message.created_at.astimezone(ingest.zone),
            rule_set=ingest.reader.rule_set,
            asserted_fact_ids=given,
            user_id=ingest.user.id,
            text=text,
        )
    except Exception as error:
        note_failure(error, step="correction")
        return None


def read_message(ingest: Ingest, message: RecordedMessage) -> Text:
    """The message as a reply, read once."""
    return read_text(message.content, ingest.reader, user_id=ingest.user.id)


def read_text(content: str, reader: TextReader, *, user_id: UUID | None = None) -> Text:
    """A text as a reply, read once; a user is asked for only where rules are on trial."""
    asked = user_id if reader.rule_set.has_trials else None
    return reader.keep(_name_reply(content, asked), lambda: _read_safely(content, reader, asked))


def read_together(texts: Iterable[str], reader: TextReader) -> None:
    """Read texts for `read_text`, which takes less than one after the other; not where something is on trial.

    Where one of them cannot be read nothing is kept, and `read_text` reads each by itself.
    """
    vocabulary = get_vocabulary(reader.rule_set)
    kept = {text: found for text in texts if (found := vocabulary.replies.find(text)) is not None}
    unread = [text for text in texts if text not in kept]
    try:
        read = vocabulary.read_all([reader.analyse(text) for text in unread])
    except Exception as error:
        note_failure(error, step="together")
        return
    for text, found in zip(unread, read, strict=True):
        if len(text) <= MAX_CHARACTERS:
            vocabulary.replies.note(text, found)
        kept[text] = found
    for text, found in kept.items():
        reader.note(_name_reply(text), found)


def _name_reply(content: str, user_id: UUID | None = None) -> Hashable:
    return "reply", content, user_id


def _read_safely(content: str, reader: TextReader, user_id: UUID | None) -> Text:
    """As `_read_reply`; a text that cannot be read is a reply without words."""
    try:
        return _read_reply(content, reader, user_id)
    except Exception as error:
        note_failure(error, step="reply")
        return _read_reply("", reader, user_id)


def _read_reply(content: str, reader: TextReader, user_id: UUID | None) -> Text:
    """A text as a reply; looked up where it came before and nothing is on trial."""
    rule_set = reader.rule_set
    if len(content) > MAX_CHARACTERS or rule_set.has_trials:
        return read_reply(content, rule_set=rule_set, user_id=user_id, message=reader.analyse(content))
    kept = get_vocabulary(rule_set).replies
    found = kept.find(content)
    if found is None:
        found = read_reply(content, rule_set=rule_set, message=reader.analyse(content))
        kept.note(content, found)
    return found


def may_follow_assistant(ingest: Ingest, message: RecordedMessage) -> bool:
    """Whether the assistant may have spoken right before a message, told by the new messages alone. Reads nothing."""
    previous = ingest.find_own_previous(message)
    return previous is None or previous.role == "assistant"


def find_turn(ingest: Ingest, message: RecordedMessage) -> Turn | None:
    """The assistant's messages right before this one, joined; None when there are none or they are a day old."""
    run: list[RecordedMessage] = []
    if not may_follow_assistant(ingest, message):
        return None  # and what was stored before need not be read
    for previous in ingest.list_previous_messages(message, limit=TURN_LENGTH):
        if (
            previous.role != "assistant"
            or message.created_at - previous.created_at > settings.UNDE_TUNING.TURN_LIFETIME
        ):
            break
        run.append(previous)
    if not run:
        return None
    newest = run[0]
    return Turn(newest.id, "\n".join(each.content for each in reversed(run)), newest.receipt_id)


def list_given_facts(ingest: Ingest, turn: Turn | None) -> Collection[UUID] | None:
    """The facts of the pack behind a turn (D-23); None where no receipt names it or the receipt is gone by age."""
    if turn is None or turn.receipt_id is None:
        return None
    receipt = find_receipt(receipt_id=turn.receipt_id, tenant_id=ingest.user.tenant_id)
    return frozenset(receipt.fact_ids) if receipt is not None else None


def apply_all(ingest: Ingest, message: RecordedMessage, turn: Turn | None, detection: Detection) -> None:
    """Operations on facts; else a denied claim that no fact bears; and that a pack was of use (SPEC C-1, C-4)."""
    if detection.operations:
        apply_detection(ingest, message, turn, detection)
    elif detection.correction_type and turn is not None:
        note_denied_claim(ingest, message, turn, detection)
    if detection.is_affirmed and turn is not None and turn.receipt_id is not None:
        given = list_given_facts(ingest, turn) or ()
        spoken = tuple(fact_id for fact_id in detection.asserted_fact_ids if fact_id in given)
        ingest.affirmed.append(Affirmation(turn.message_id, turn.receipt_id, spoken))


def note_denied_claim(ingest: Ingest, message: RecordedMessage, turn: Turn, detection: Detection) -> None:
    """A correction that changes no fact: the log holds it with the assistant message that it denies (SPEC C-2)."""
    action = ingest.ledger.open_action(kind="correction", said_at=message.created_at, message_id=message.id)
    entry = describe_entry(None, None, correction_type=detection.correction_type)
    action.detail.update(corrections=[entry], corrected_message_id=str(turn.message_id), language=detection.language)
    ingest.corrections.setdefault(message.id, []).append(make_outcome(entry))


def apply_detection(ingest: Ingest, message: RecordedMessage, turn: Turn | None, detection: Detection) -> None:
    """Carry out the operations on the ledger and note them: in the action, for the answer, for the instant step."""
    kind = "correction" if detection.correction_type else "confirm"
    action = ingest.ledger.open_action(kind=kind, said_at=message.created_at, message_id=message.id)
    entries: list[dict[str, Any]] = []
    for operation in detection.operations:
        change = apply_operation(ingest, operation, message=message, language=detection.language, action=action)
        if operation.correction_type is not None:
            entries.append(describe_entry(operation, change, correction_type=operation.correction_type))
    if entries:
        corrected = str(turn.message_id) if turn else None
        action.detail.update(corrections=entries, corrected_message_id=corrected, language=detection.language)
    ingest.denied.setdefault(message.id, set()).update(detection.denied)
    ingest.corrections.setdefault(message.id, []).extend(make_outcome(entry) for entry in entries)


def apply_operation(
    ingest: Ingest, operation: Operation, *, message: RecordedMessage, language: str, action: PendingAction
) -> FactChange | None:
    """One operation on the ledger; None when the fact stays as it is (D-2: an older correction is only logged)."""
    ledger = ingest.ledger
    if operation.kind == "set":
        if ingest.holds_back(message, operation.knowledge_type):
            return None
        statement = make_statement(ingest, operation, message=message, language=language)
        return ledger.set_fact(statement, action=action)
    fact = ledger.find_fact(*operation.slot)
    if fact is None:
        return None
    if operation.kind == "deactivate":
        return ledger.deactivate_fact(fact, action=action)
    if operation.kind == "dispute":
        return ledger.dispute_fact(fact, action=action)
    return ledger.confirm_fact(fact, action=action)


def make_statement(ingest: Ingest, operation: Operation, *, message: RecordedMessage, language: str) -> Statement:
    """A new value as a statement, with the reply as its evidence (D-5)."""
    return Statement(
        knowledge_type=operation.knowledge_type,
        knowledge_key=operation.knowledge_key,
        value=operation.value,
        confidence=settings.UNDE_TUNING.INSTANT_CONFIDENCE,
        extracted_from="correction",
        said_at=message.created_at,
        expires_at=find_expiry(ingest, operation, said_at=message.created_at),
        evidence_message_ids=(message.id,),
        language=language,
    )


def find_expiry(ingest: Ingest, operation: Operation, *, said_at: datetime) -> datetime | None:
    """When an event ends: the day the reply names, else the date of what it replaces, else the default (SPEC F-5)."""
    if operation.knowledge_type != "life_event":
        return None
    if operation.expires_on is not None:
        return end_of_day(operation.expires_on, ingest.zone)
    if operation.expires_at is not None:
        return operation.expires_at
    days = timedelta(days=settings.UNDE_TUNING.EVENT_DEFAULT_DAYS)
    return end_of_day((said_at.astimezone(ingest.zone) + days).date(), ingest.zone)


def describe_entry(
    operation: Operation | None, change: FactChange | None, *, correction_type: str | None
) -> dict[str, Any]:
    """One effect as the action log keeps it: for a repeated client id, and for the correction log."""
    kind = operation.kind if operation else None
    named = operation.fact if operation else None
    fact_id = str(change.fact.id) if change else (str(named.id) if named else None)
    superseded = str(change.superseded_id) if change and change.superseded_id else None
    return {
        "id": str(new_id()),
        "correction_type": correction_type,
        "fact_id": fact_id,
        "action": change.action if change else "logged",
        "deactivated_id": fact_id if change and kind == "deactivate" else superseded,
        "disputed_id": fact_id if change and kind == "dispute" else None,
        "set_id": fact_id if change and kind == "set" else None,
    }


def make_outcome(entry: dict[str, Any]) -> CorrectionOutcome:
    """An effect as the answer to the message names it."""
    return CorrectionOutcome(
        id=UUID(entry["id"]),
        correction_type=entry["correction_type"],
        fact_id=UUID(entry["fact_id"]) if entry["fact_id"] else None,
        action=entry["action"],
    )


def count_corrections(action: PendingAction) -> None:
    """Raise the counters for one correcting message."""
    entries = action.detail["corrections"]
    language = action.detail["language"]
    CORRECTIONS.labels(entries[0]["correction_type"], language).inc()
    closed = sum(entry["deactivated_id"] is not None for entry in entries)
    disputed = sum(entry["disputed_id"] is not None for entry in entries)
    if closed:
        FACTS_DEACTIVATED.labels(language).inc(closed)
    if disputed:
        FACTS_DISPUTED.inc(disputed)
