"""The echo guard of instant facts: the assistant's words, passed back, confirm nothing new (SPEC M-5, D-23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from django.conf import settings

from corrections.recognition.copies import COPIED_WORDS, GIVEN_WORDS, PASTED_WORDS, Span, find_copied, join_heard
from corrections.recognition.texts import Text
from corrections.steps import read_text
from memory.dates import end_of_day
from memory.selectors.messages import list_messages_by_id
from memory.storing.types import TURN_LENGTH, Ingest, IngestStep
from memory.types import Fact, RecordedMessage
from patterns.steps.message import Message
from patterns.types import Reading, Rejection
from retrieval.receipts.reading import find_receipt

ECHO: Final = "echo"


class RecogniseEchoes(IngestStep):
    """Runs before instant facts are written, and leaves them the keys that a message only passes back.

    Looks back for few messages: those that state a fact in at least four words, and not as "I", or in a long text.
    """

    def on_message(self, ingest: Ingest, message: RecordedMessage) -> None:
        if message.role != "user":
            return
        found = ingest.reader.read(
            message.content, said_at=message.created_at, zone=ingest.zone, user_id=ingest.user.id
        ).readings
        for reading in _find_echoes(ingest, message, found) if found else ():
            ingest.denied.setdefault(message.id, set()).add((reading.knowledge_type, reading.knowledge_key))
            ingest.refusals.append(Rejection(reading.rule, ECHO, reading.start, reading.end))


def _find_echoes(ingest: Ingest, message: RecordedMessage, found: Sequence[Reading]) -> list[Reading]:
    """Of what a message states that which it only passes back. Most messages are told by their own words alone."""
    said = ingest.reader.analyse(message.content)
    words = sum(token[3] != "mark" for token in said.words)
    if words < COPIED_WORDS:
        return []
    cited = _list_cited(read_text(message.content, ingest.reader, user_id=ingest.user.id), said, found)
    rest = [reading for reading in found if reading not in cited]
    own = {reading: at for reading in rest if (at := _find_own_word(said, reading)) is not None}
    doubtful = [reading for reading in rest if reading not in own]
    pasted = _list_pasted(ingest, message, own) if own and words >= PASTED_WORDS else []
    return [*cited, *_list_echoes(ingest, message, doubtful), *pasted]


def _find_own_word(said: Message, reading: Reading) -> int | None:
    """Where "I" or "my" stands that the statement belongs to; "my notes: size L" is none of it."""
    first, last = _find_tokens(said, reading)
    own = said.find_last_in("self", said.clause(first)[0], last)
    if own is None or any(token.text == ":" for token in said.tokens[own.end : first]):
        return None
    return int(said.normal.offsets[said.token_starts[own.start]])


def _find_tokens(said: Message, reading: Reading) -> tuple[int, int]:
    """The tokens [first, last) of a reading."""
    offsets = said.normal.offsets
    first = next((i for i, at in enumerate(said.token_starts) if offsets[at] >= reading.start), 0)
    last = next((i for i, at in enumerate(said.token_starts) if offsets[at] >= reading.end), len(said.words))
    return first, last


def _list_cited(text: Text, said: Message, found: Sequence[Reading]) -> list[Reading]:
    """ "Your notes say M": memory is named as the source, in the same part of the sentence or before a colon."""
    if not text.has("cited"):
        return []
    cited: list[Reading] = []
    for reading in found:
        first, last = _find_tokens(said, reading)
        start, _ = said.clause(first)
        for cue in text.list_cues("cited", start=start, end=last):
            is_led = said.segment(cue.start) == said.segment(last - 1) or said.tokens[cue.end].text == ":"
            if is_led or said.at(cue.end + 1, "that_word") is not None:
                cited.append(reading)
                break
    return cited


def _list_pasted(ingest: Ingest, message: RecordedMessage, own: Mapping[Reading, int]) -> list[Reading]:
    """Of what is said as "I" that which stands in the turn before, "I" and all: a draft that is handed back."""
    heard = _list_heard(ingest, message, limit=TURN_LENGTH)
    copied = find_copied(message.content, join_heard(each.content for each in heard), least=PASTED_WORDS)
    return [reading for reading, at in own.items() if any(s.start <= at and _is_in(reading, [s]) for s in copied)]


def _list_echoes(ingest: Ingest, message: RecordedMessage, doubtful: Sequence[Reading]) -> list[Reading]:
    """Of these readings the copies; of a fact that a receipt names fewer words tell one."""
    if not doubtful:
        return []
    heard = _list_heard(ingest, message, limit=settings.UNDE_TUNING.ECHO_MESSAGES)
    if not heard:
        return []
    copied = find_copied(message.content, join_heard(each.content for each in heard), least=GIVEN_WORDS)
    near = [reading for reading in doubtful if _is_in(reading, copied)]
    long = [span for span in copied if span.words >= COPIED_WORDS]
    echoes = [reading for reading in near if _is_in(reading, long)]
    rest = [reading for reading in near if reading not in echoes]
    given = _list_given(ingest, heard) if rest else []
    return [*echoes, *(reading for reading in rest if any(_is_given(ingest, reading, fact) for fact in given))]


def _list_heard(ingest: Ingest, message: RecordedMessage, *, limit: int) -> list[RecordedMessage]:
    """What the assistant said before in the conversation, newest first, and the message that is answered by name."""
    before = ingest.list_previous_messages(message, limit=limit)
    heard = [each for each in before if each.role == "assistant"]
    named = message.reply_to_id
    if named is None or any(each.id == named for each in before):
        return heard
    own = [each for each in ingest.messages if each.id == named]
    stored = own or list_messages_by_id(user=ingest.user, message_ids=[named]).values()
    return [*(each for each in stored if each.role == "assistant"), *heard]


def _list_given(ingest: Ingest, heard: Sequence[RecordedMessage]) -> list[Fact]:
    """The facts of the pack that the newest of these messages with a receipt was made from (D-23)."""
    receipt_id: UUID | None = next((each.receipt_id for each in heard if each.receipt_id), None)
    if receipt_id is None or not ingest.may_have_facts:
        return []
    receipt = find_receipt(receipt_id=receipt_id, tenant_id=ingest.user.tenant_id)
    given = frozenset(receipt.fact_ids) if receipt is not None else frozenset()
    return [fact for fact in ingest.ledger.list_facts() if fact.id in given]


def _is_given(ingest: Ingest, reading: Reading, fact: Fact) -> bool:
    """Whether the reading says no more than the fact: another value, or another day of an event, is news."""
    if fact.slot != (reading.knowledge_type, reading.knowledge_key) or fact.value != reading.value:
        return False
    return reading.expires_on is None or end_of_day(reading.expires_on, ingest.zone) == fact.expires_at


def _is_in(reading: Reading, spans: Sequence[Span]) -> bool:
    return any(span.start <= reading.start and reading.end <= span.end for span in spans)
