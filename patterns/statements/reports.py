"""Whether somebody else said it: a verb of saying that governs the statement."""

from __future__ import annotations

from collections.abc import Iterator

from patterns.matching.lexicon import LexiconMatch
from patterns.statements.persons import nearest_person, person_after
from patterns.statements.unknown import is_strange
from patterns.steps.message import Message

_SHORT_SEGMENT = 4
_OPENING = frozenset(':"')
HELLO = 3  # words of "says hi btw"
_SAID_REACH = 3  # words between a statement and the verb of saying that follows it
_TO_WHOM = (
    "self", "both", "relation", "other", "filler", "that_word", "now", "past", "lasting", "quote", "article", "oath",
    "greeting", "toward", "conj",
)  # fmt: skip


def is_reported(message: Message, start: int, end: int) -> bool:
    """Somebody said it: a verb of saying earlier in the clause, or right after the statement."""
    if "quote" not in message.marks:
        return False
    first, last = message.clause(start)
    told = [*message.list_in("quote", first, start + 1), *message.list_in("quote", end, last)]
    return any(
        not message.is_covered(match, ("event", "announcement"))  # "here goes:"
        and (match.start <= start or _closes(message, match, end))
        and _find_speaker(message, match, first, start) != "self"
        and not _is_diagnosis(message, match, start)
        and not _is_asked_for(message, match, start)
        and not any(
            m.start > match.end for m in message.list_in("contrast", match.end, start + 1) if match.start < start
        )
        and not message.has_in("turned_out", match.end, start + 1)
        and not _says_another_thing(message, match, start)
        for match in told
    )


def list_speeches(message: Message) -> Iterator[int]:
    """My friend wrote: I'm allergic to wool. My size is M. Where the clause of another's words behind a colon ends."""
    for told in message.marks.get("quote", ()):
        if told.end >= len(message.tokens) or message.tokens[told.end].text != ":":
            continue
        first, last = message.clause(told.start)
        is_news = message.has_in("doctor", first, told.end) or message.is_covered(told, ("event",))
        if not is_news and _find_speaker(message, told, first, told.end) != "self":
            yield last


def _says_another_thing(message: Message, told: LexiconMatch, start: int) -> bool:
    """My friend told me about you, size M; nobody asked, but: what is said, or that nobody says it, ends before."""
    here = message.segment(start)[0]
    last = message.segment(told.start)[1]
    if told.start >= start or here < last or message.at(here, "that_word") is not None:
        return False
    if message.tokens[last - 1].text in _OPENING:
        return False
    before = message.tokens[message.segment(told.start)[0] : told.start]
    if any(token.text in message.grammar.nobody for token in before):
        return True
    return _has_object(message, told)


def _has_object(message: Message, told: LexiconMatch) -> bool:
    """Whether the verb of saying has what is said in its own segment: she says hi, they say you are good."""
    last = message.segment(told.start)[1]
    said = message.tokens[told.end : last]
    if len(said) <= HELLO and any(token.text in message.grammar.hello for token in said):
        return True
    return any(
        message.tokens[index].kind == "word" and not any(message.at(index, name) for name in _TO_WHOM)
        for index in range(told.end, last)
    )


def _find_speaker(message: Message, told: LexiconMatch, first: int, start: int) -> str | None:
    """Who said it: the nearest before the verb, or with the verb behind the statement the one behind the verb."""
    if told.start < start and message.segment(told.start) == message.segment(start) and _is_heard(message, told):
        return "other"
    if told.start > start:
        if _is_said_by_name(message, told):
            return "other"
        if told.end < len(message.tokens) and message.tokens[told.end].text in message.grammar.said_to_me:
            return "other"  # "الجينز 30 قالوا لي"
        after = person_after(message, told.end, message.segment(told.start)[1])
        if after is not None:
            return after
    if _is_said_to_writer(message, first, told) or message.tokens[told.end - 1].text in message.grammar.they_said:
        return "other"
    return nearest_person(message, first, told.start, with_named=True)


def _is_heard(message: Message, told: LexiconMatch) -> bool:
    """I read that latex causes rashes: who reads or hears it does not say it."""
    is_doctors = message.has_in("doctor", told.end, message.segment(told.start)[1])
    told_by = message.tokens[told.start : told.end]
    return not is_doctors and any(token.text in message.grammar.i_read for token in told_by)


def _is_said_to_writer(message: Message, first: int, told: LexiconMatch) -> bool:
    """A lady stopped me and said: the "me" before the verb is whom somebody told."""
    own = message.find_last_in("self", first, told.start)
    if own is None or message.tokens[own.start].text not in message.grammar.told_one:
        return False
    return any(message.has_in(name, first, own.start) for name in ("relation", "other"))


def _is_said_by_name(message: Message, told: LexiconMatch) -> bool:
    """No heels, says Tim: the verb opens its segment and a name that nobody knows closes it."""
    first, last = message.segment(told.start)
    is_alone = told.start == first and told.end == told.start + 1
    return is_alone and told.end < last and message.tokens[told.end].script == "latin" and is_strange(message, told.end)


def _closes(message: Message, told: LexiconMatch, end: int) -> bool:
    """I'm an M, she says: the verb right behind the statement, or alone with its person in a segment of its own."""
    first, last = message.segment(told.start)
    if first < end:
        return told.start - end <= _SAID_REACH
    if told.start == first and message.at(told.end, "self") is None:
        is_news = message.tokens[first].text in message.grammar.i_heard  # "heard the mall is packed"
        return not (is_news and _has_object(message, told))  # "I never wear leopard, said the girl in leopard"
    is_short = last - first <= _SHORT_SEGMENT and message.at(first, "contrast") is None
    return is_short and not _has_object(message, told)


def _is_diagnosis(message: Message, told: LexiconMatch, start: int) -> bool:
    """The doctor says I'm allergic: a doctor's word on the user's body is the user's own news."""
    is_doctors = message.ends_with(told.start, "doctor")
    if is_doctors and told.end < start and message.tokens[told.end].text == ":":
        return not message.has_in("relation", message.clause(start)[0], start)  # "врач сказала: аллергия на никель"
    return is_doctors and told.end <= start and message.has_in("self", told.end, start + 1)


def _is_asked_for(message: Message, told: LexiconMatch, start: int) -> bool:
    """Reception said you need this: height 170. Behind the colon stands what somebody asked the writer to give."""
    words = [token.text for token in message.tokens[told.end : start]]
    return bool(words) and words[0] in message.grammar.told_to and ":" in words
