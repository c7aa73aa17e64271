"""What the messages around an evidence make of it: one that frames it, one that takes it back (SPEC X-3). Pure.

"Translate this:" before it, "just kidding" behind it. Nothing in the evidence itself shows either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.extraction.judging.around.afterthoughts import find_opening, unsays
from memory.extraction.judging.around.remainders import has_other_value
from memory.extraction.judging.clauses import DECLARED, Mention
from memory.extraction.judging.context import GateContext
from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.surroundings import is_in
from memory.extraction.judging.value_places import UNITS
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases, list_words
from memory.extraction.judging.wordings import list_phrases_in
from memory.types import RecordedMessage
from patterns.steps.message import Message

WRITER: Final = ("self", "first_person", "both", "request")
PEOPLE: Final = ("relation", "other")
CORRECTING: Final = ("self_correction", "negator", "retraction")
COUNTING: Final = ("garment_word", "specific_item", "shoe", "month", "weekday", "period")
"""What says that a number counts something else."""
RELENTING: Final = {"hard_ban": "relenting_words", "allergy": "cleared_words", "life_event": "put_off_words"}
"""The words by which a next message takes back a statement of the type without naming it."""
VALUES: Final = {"allergy": ("fabric", "irritant"), "hard_ban": ("fabric", "garment")}


def is_unsaid_after(said: RecordedMessage, wanted: Wanted, context: GateContext) -> bool:
    """Whether the user's next message, a short one, takes back what the message said or calls it another's."""
    after = _find_next(said, context)
    if after is None:
        return False
    reader = context.read(after)
    message = reader.message
    words = [token for token in message.tokens if token.kind != "mark"]
    whole = (0, len(message.tokens))
    is_ban = wanted.knowledge_type == "hard_ban"
    parts = message.segments[: GATE.opening_parts]
    if any(unsays(message, find_opening(message, part), part[1], is_ban=is_ban) for part in parts):
        return True
    if wanted.knowledge_type in RELENTING and list_phrases_in(
        message, whole, list_phrases(RELENTING[wanted.knowledge_type])
    ):
        return True
    if wanted.knowledge_type == "life_event" and "cancelled" in message.marks and "event" not in message.marks:
        return True
    if is_ban and _is_named_freely(message, reader.list_mentions(wanted)):
        return True
    if not words or len(words) > GATE.short_reply:
        return False
    if list_phrases_in(message, whole, list_phrases("utterance_words")):
        return True
    return _is_anothers(message) or _is_replaced(message, wanted)


def _is_named_freely(message: Message, mentions: Sequence[Mention]) -> bool:
    """Never black. || Black it is: the value again, in a sentence with no "not", no question and no reading."""
    if not mentions or message.has_in("negator", 0, len(message.tokens)):
        return False
    return all(token.text != "?" for token in message.tokens) and all(m.strength < DECLARED for m in mentions)


def _is_anothers(message: Message) -> bool:
    """No wait, that's my sister's: a word that points back and a person."""
    people = [m for name in PEOPLE for m in message.list_in(name, 0, len(message.tokens))]
    return any(
        is_in(message, index, list_words("pointing_words"))
        for person in people
        for index in range(max(0, person.start - GATE.owner_reach), person.start)
    )


def _is_replaced(message: Message, wanted: Wanted) -> bool:
    """Oops, L I mean; hm, make it 800: a few words and another value."""
    if any(name in message.marks for name in (*PEOPLE, "event")) or any(t.text == "?" for t in message.tokens):
        return False
    if wanted.knowledge_type == "budget" or wanted.knowledge_key in UNITS:
        return _has_other_number(message, str(wanted.value))
    if wanted.knowledge_type == "body_params":
        return any(match.canonical != wanted.value for match in message.list_in("size_letter", 0, len(message.tokens)))
    words = [token for token in message.tokens if token.kind == "word"]
    is_turned = any(name in message.marks for name in CORRECTING) or is_in(message, 0, list_words("interjections"))
    is_other = any(name in message.marks for name in VALUES.get(wanted.knowledge_type, ()))
    return is_turned and is_other and len(words) <= GATE.short_part


def _has_other_number(message: Message, value: str) -> bool:
    """Let's make that 900: a number as long as the value, and nothing that says what else it counts."""
    if any(name in message.marks for name in COUNTING):
        return False
    texts = [token.text for token in message.tokens]
    return any(text.isdecimal() and len(text) == len(value) and text != value for text in texts)


def is_revoked_later(said: RecordedMessage, context: GateContext, wanted: Wanted) -> bool:
    """Whether any later message of the user names the value again and takes back what was said of it."""
    later = [m for m in context.material.messages.values() if m.role == "user" and _order(m) > _order(said)]
    return any(
        context.read(message).list_mentions(wanted)
        and list_phrases_in(
            (read := context.read(message).message), (0, len(read.tokens)), list_phrases("revoking_words")
        )
        for message in later
    )


def is_spoken_of_later(said: RecordedMessage, wanted: Wanted, context: GateContext) -> bool:
    """Whether a later message of the user names the value and does not state it, or the next one speaks of it.

    The next one names another value, opens by correcting, or asks for the return of what was kept away.
    """
    later = [m for m in context.material.messages.values() if m.role == "user" and _order(m) > _order(said)]
    readers = [context.read(message) for message in later]
    if any(reader.list_mentions(wanted) and not reader.is_read(wanted) for reader in readers):
        return True
    if wanted.knowledge_type == "hard_ban" and later and _asks_back(context.read(min(later, key=_order)).message):
        return True
    after = _find_next(said, context)
    if after is None:
        return False
    message = context.read(after).message
    return has_other_value(message, 0, wanted, ()) or _opens_correction(message)


def _asks_back(message: Message) -> bool:
    """Bring them back: in the first part of the message, without a name."""
    return bool(message.segments) and bool(
        list_phrases_in(message, message.segments[0], list_phrases("returning_words"))
    )


def _opens_correction(message: Message) -> bool:
    """Sorry, this is my client's file: the first word says that something was wrong."""
    first = next((i for i, token in enumerate(message.tokens) if token.kind != "mark"), None)
    return first is not None and message.at(first, "self_correction") is not None


def is_framed(said: RecordedMessage, context: GateContext) -> bool:
    """Whether the message before says that what follows is somebody else's, or only to be passed on."""
    before = _find_before(said, context)
    if before is None:
        return False
    message = context.read(said).message
    asked = context.read(before).message
    whole = (0, len(message.tokens))
    if before.role == "user" and _opens_recital(asked):
        return True
    if any(message.has_in(name, *whole) for name in WRITER):
        return False
    return _asks_of_another(asked) if before.role == "assistant" else _heads_another(asked)


def _opens_recital(message: Message) -> bool:
    """Translate into French: a short message that passes on what follows, and says nothing itself."""
    words = [token for token in message.tokens if token.kind != "mark"]
    if not words or len(words) > GATE.short_reply:
        return False
    whole = (0, len(message.tokens))
    is_told = "recital" in message.marks or "recited" in message.marks or "forwarded" in message.marks
    return is_told or bool(list_phrases_in(message, whole, list_phrases("passing_words")))


def _asks_of_another(message: Message) -> bool:
    """What size is your husband? In the last question a person is named."""
    parts = [part for part in message.normal.clauses if any(t.text == "?" for t in message.tokens[slice(*part)])]
    if not parts:
        return False
    is_named = bool(list_phrases_in(message, parts[-1], list_phrases("your_people_words")))
    return is_named or message.has_in("relation", *parts[-1])


def _heads_another(message: Message) -> bool:
    """Now my sister's details: a short message that names a person and states nothing."""
    words = [token for token in message.tokens if token.kind != "mark"]
    return len(words) <= GATE.short_reply and "relation" in message.marks


def _find_next(said: RecordedMessage, context: GateContext) -> RecordedMessage | None:
    """The user's next message in the same conversation, in the same session."""
    later = [
        m
        for m in context.material.messages.values()
        if m.role == "user" and _is_same_talk(said, m, context) and _order(m) > _order(said)
    ]
    return min(later, key=_order, default=None)


def _find_before(said: RecordedMessage, context: GateContext) -> RecordedMessage | None:
    """The message right before in the same conversation and session, of whomever."""
    earlier = [
        m for m in context.material.messages.values() if _is_same_talk(said, m, context) and _order(m) < _order(said)
    ]
    return max(earlier, key=_order, default=None)


def _is_same_talk(said: RecordedMessage, other: RecordedMessage, context: GateContext) -> bool:
    is_near = abs(other.created_at - said.created_at) <= context.session_gap
    return is_near and other.conversation_id == said.conversation_id


def _order(message: RecordedMessage) -> tuple[object, int]:
    return (message.created_at, message.seq)
