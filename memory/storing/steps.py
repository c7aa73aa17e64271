"""The ingest steps of this room: edits move their evidence, then plain statements become facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings

from memory.dates import end_of_day
from memory.metrics import count_instant_fact
from memory.storing.reading import TextReader
from memory.storing.types import Ingest, IngestStep
from memory.types import Draft, RecordedMessage, Statement
from patterns.services.refusals import note_refusals
from patterns.types import Reading, ReadResult, Rejection


class ApplyEdits(IngestStep):
    """An edited message is no evidence any more; a regenerated reply replaces its siblings (D-4)."""

    def read(self, drafts: Sequence[Draft], *, reader: TextReader, zone: ZoneInfo) -> None:
        """An edit, and a reply to a named message, may take a fact's evidence away."""
        for draft in drafts:
            if draft.role == "user" and (draft.replaces_id or draft.reply_to_id):
                reader.note_concern(draft.content)

    def on_message(self, ingest: Ingest, message: RecordedMessage) -> None:
        replaced = set(ingest.replaces.get(message.id, ())) if ingest.replaces else None
        if not replaced:
            return
        ingest.replaced_ids.extend(sorted(replaced))
        if message.role == "user":
            withdraw_replaced_evidence(ingest, message, replaced)


def withdraw_replaced_evidence(ingest: Ingest, message: RecordedMessage, replaced: set[UUID]) -> None:
    """Take the replaced messages out of every fact's evidence; a fact left with none is closed (SPEC T-2)."""
    resting = [fact for fact in ingest.ledger.list_facts() if replaced & set(fact.evidence_message_ids)]
    if not resting:
        return
    action = ingest.ledger.open_action(kind="edit", said_at=ingest.now, message_id=message.id)
    for fact in resting:
        ingest.ledger.withdraw_evidence(fact, replaced, action=action)


class ExtractInstantFacts(IngestStep):
    """Turns plain statements of the user into facts in the same request (SPEC I-1 to I-5, KSP fix 1A)."""

    def read(self, drafts: Sequence[Draft], *, reader: TextReader, zone: ZoneInfo) -> None:
        """Reads texts if the result does not depend on the user."""
        if reader.rule_set.has_trials:
            return
        said = [(draft.content, draft.created_at) for draft in drafts if draft.role == "user"]
        reader.read_all(said, zone=zone)
        for content, at in said:
            if reader.read(content, said_at=at, zone=zone).readings:
                reader.note_concern(content)

    def on_message(self, ingest: Ingest, message: RecordedMessage) -> None:
        if message.role != "user":
            message.language = ingest.reader.detect_language(message.content)
            return
        result = _read(ingest, message)
        ingest.refusals.extend(result.rejections)
        message.language = result.language
        if not result.readings:
            return
        denied = ingest.denied.get(message.id, ())
        readings = [
            each
            for each in result.readings
            if (each.knowledge_type, each.knowledge_key) not in denied
            and not ingest.holds_back(message, each.knowledge_type)
        ]
        if not readings:
            return
        action = ingest.ledger.open_action(kind="instant", said_at=message.created_at, message_id=message.id)
        action.rule_set_version = result.rule_set_version
        for reading in readings:
            statement = make_statement(reading, message=message, zone=ingest.zone)
            change = ingest.ledger.set_fact(statement, action=action)
            count = partial(count_instant_fact, knowledge_type=reading.knowledge_type, language=result.language)
            ingest.when_stored.append(partial(count, is_supersede=change.action == "superseded"))

    def finish(self, ingests: Sequence[Ingest]) -> None:
        """Counts what the rules refused, once for all messages."""
        refusals = [refusal for ingest in ingests for refusal in ingest.refusals]
        if refusals:
            first = ingests[0]
            first.when_stored.append(_count_refusals(refusals, first.user.tenant_id, first.now))


def _read(ingest: Ingest, message: RecordedMessage) -> ReadResult:
    return ingest.reader.read(message.content, said_at=message.created_at, zone=ingest.zone, user_id=ingest.user.id)


def _count_refusals(refusals: Sequence[Rejection], tenant_id: UUID, now: datetime) -> Callable[[], None]:
    return partial(note_refusals, tenant_id=tenant_id, refusals=refusals, now=now)


def make_statement(reading: Reading, *, message: RecordedMessage, zone: ZoneInfo) -> Statement:
    """A reading of one message as a statement with its evidence (SPEC I-5); events always expire (SPEC F-5)."""
    tuning = settings.UNDE_TUNING
    expires_at = end_of_day(reading.expires_on, zone) if reading.expires_on else None
    if reading.knowledge_type == "life_event" and expires_at is None:
        last_day = message.created_at.astimezone(zone).date() + timedelta(days=tuning.EVENT_DEFAULT_DAYS)
        expires_at = end_of_day(last_day, zone)
    return Statement(
        knowledge_type=reading.knowledge_type,
        knowledge_key=reading.knowledge_key,
        value=reading.value,
        confidence=reading.confidence,
        extracted_from="instant_pattern",
        said_at=message.created_at,
        expires_at=expires_at,
        evidence_message_ids=(message.id,),
        language=reading.language,
        rule=reading.rule,
        rule_version=reading.rule_version,
    )
