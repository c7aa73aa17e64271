"""The room's own ingest steps: edits take their evidence along, then what the message states plainly becomes facts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings

from memory.dates import end_of_day
from memory.exchange import Statement as Query
from memory.ingest.reading import TextReader
from memory.ingest.types import Concern, Ingest, IngestStep, TenantRef
from memory.metrics import count_instant_fact
from memory.selectors.facts import write_active_facts
from memory.services.ledgers import write_closed_at
from memory.types import Draft, RecordedMessage, Statement
from patterns.services.refusals import note_refusals
from patterns.types import Reading, ReadResult, Rejection


class ApplyEdits(IngestStep):
    """An edited message is no evidence any more; a regenerated reply replaces its siblings (D-4)."""

    def find_concern(self, draft: Draft, *, reader: TextReader, zone: ZoneInfo) -> Concern:
        """An edit and a reply to a named message look at what they take the place of."""
        return Concern.ANYTHING if draft.replaces_id or draft.reply_to_id else Concern.NOTHING

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
    """What the user states plainly becomes a fact in the same request (SPEC I-1 to I-5, KSP fix 1A)."""

    def read_drafts(self, drafts: Sequence[Draft], *, reader: TextReader, zone: ZoneInfo) -> None:
        """Reads what people say, where that does not depend on who says it."""
        if not reader.rule_set.has_trials:
            reader.read_all([(draft.content, draft.created_at) for draft in drafts if draft.role == "user"], zone=zone)

    def find_concern(self, draft: Draft, *, reader: TextReader, zone: ZoneInfo) -> Concern:
        """A message that states a fact is looked at beside what is known; trials are of some users alone."""
        if draft.role != "user":
            return Concern.NOTHING
        if reader.rule_set.has_trials or _read_draft(draft, reader, zone).readings:
            return Concern.ANYTHING
        return Concern.NOTHING

    def list_reads(self, ingest: Ingest) -> list[Query]:
        """The user's facts, where a message states one, and when the keys that it names were last closed."""
        said = [message for message in ingest.messages if message.role == "user"]
        slots = dict.fromkeys(
            (reading.knowledge_type, reading.knowledge_key)
            for message in said
            for reading in _read(ingest, message).readings
        )
        if not slots:
            return []
        facts = [write_active_facts(user=ingest.user)] if ingest.has_stored_facts else []
        closed = [write_closed_at(user=ingest.user, slot=slot) for slot in slots] if ingest.log_position != 0 else []
        return facts + [statement for statement in closed if statement is not None]

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
        readings = [each for each in result.readings if (each.knowledge_type, each.knowledge_key) not in denied]
        if not readings:
            return
        action = ingest.ledger.open_action(kind="instant", said_at=message.created_at, message_id=message.id)
        action.rule_set_version = result.rule_set_version
        for reading in readings:
            statement = make_statement(reading, message=message, zone=ingest.zone)
            change = ingest.ledger.set_fact(statement, action=action)
            count = partial(count_instant_fact, knowledge_type=reading.knowledge_type, language=result.language)
            ingest.when_stored.append(partial(count, is_supersede=change.action == "superseded"))

    def finish_all(self, ingests: Sequence[Ingest]) -> None:
        """Has what the rules refused counted, once for all messages."""
        refusals = [refusal for ingest in ingests for refusal in ingest.refusals]
        if refusals:
            first = ingests[0]
            first.when_stored.append(_count_refusals(refusals, first.user.tenant_id, first.now))


def list_after_facts(
    drafts: Iterable[Draft], *, holders: Container[str], reader: TextReader, zone: ZoneInfo
) -> list[Draft]:
    """Those drafts whose users have facts by then: they are `holders`, or a draft before states a fact.

    Rules on trial are asked for nobody: what they read depends on who says it.
    """
    stating: set[str] = set()
    after: list[Draft] = []
    for draft in drafts:
        user = draft.user_external_id
        if user in holders or user in stating:
            after.append(draft)
        elif draft.role == "user" and not reader.rule_set.has_trials and _read_draft(draft, reader, zone).readings:
            stating.add(user)
    return after


def _read(ingest: Ingest, message: RecordedMessage) -> ReadResult:
    return ingest.reader.read(message.content, said_at=message.created_at, zone=ingest.zone, user_id=ingest.user.id)


def _read_draft(draft: Draft, reader: TextReader, zone: ZoneInfo) -> ReadResult:
    return reader.read(draft.content, said_at=draft.created_at, zone=zone)


def _count_refusals(refusals: Sequence[Rejection], tenant_id: UUID, now: datetime) -> Callable[[], None]:
    return partial(note_refusals, tenant_id=tenant_id, refusals=refusals, now=now)


def find_language(
    draft: Draft, *, tenant: TenantRef, reader: TextReader, now: datetime
) -> tuple[str, Callable[[], None] | None]:
    """The language of a message that states no fact, and what is to be counted once it is stored."""
    if draft.role != "user":
        return reader.detect_language(draft.content), None
    result = _read_draft(draft, reader, tenant.zone)
    return result.language, _count_refusals(result.rejections, tenant.id, now) if result.rejections else None


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
