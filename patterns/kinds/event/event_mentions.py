"""Events that are only spoken of: the vacation that ate the money, the dress from the party, a friend of a friend."""

from __future__ import annotations

from patterns.matching.lexicon import LexiconMatch
from patterns.statements.strangers import is_of_named
from patterns.statements.unknown import is_strange
from patterns.steps.message import Message

_GARMENTS = ("event_thing", "generic", "garment_word", "garment")
_SMALL = ("filler", "self", "now", "oath", "laugh")
_CONSTRUCT = frozenset(("ar", "arabizi"))
MAX_SMALL = 3  # small words between an event and what it did
MIN_VERB = 4  # letters


def find_mention_veto(message: Message, event: LexiconMatch, relation: LexiconMatch | None) -> str | None:
    """Why an event is mentioned and not announced; None when it may be ahead."""
    if _did_something(message, event, relation):
        return "past"
    if _is_source(message, event):
        return "only_mentioned"
    if _is_hers_apart(message, event):
        return "other_subject"
    if relation is None and _is_at_named(message, event):
        return "other_subject"
    going = message.find_last_in("you_go", message.segment(event.start)[0], event.start)
    if going is not None and not message.has_in("self", going.end, event.start):
        return "question"  # "ты идёшь на свадьбу"
    if relation is not None and _is_of_anothers(message, event, relation):
        return "other_subject"
    return None


def is_called_by_name(message: Message, event: LexiconMatch) -> bool:
    """Sara's wedding: the word right before has an apostrophe of whose it is, and nobody knows it."""
    if not is_of_named(message, event.start):
        return False
    token = message.tokens[event.start - 1]
    start, end = message.normal.raw_span(token.start, token.end)
    return end - start > len(token.text)


def _did_something(message: Message, event: LexiconMatch, relation: LexiconMatch | None) -> bool:
    """Отпуск всё съел, the move ate my budget, السفر خلص فلوسي: behind the event stands what it has done."""
    last = message.segment(event.start)[1]
    index = relation.end if relation is not None and event.end <= relation.start <= event.end + 1 else event.end
    for _ in range(MAX_SMALL):
        if index < last and message.at(index, "event_did") is not None:
            return True
        small = [match.end for name in _SMALL if index < last and (match := message.at(index, name)) is not None]
        if not small:
            break
        index = max(small)
    return index < last and _is_its_verb(message, event, index)


def _is_its_verb(message: Message, event: LexiconMatch, index: int) -> bool:
    """A Russian verb of the past that nobody knows and that agrees with the event, which no preposition leads."""
    verb, noun = message.tokens[index], message.tokens[event.start].text
    if verb.script != "cyrillic" or len(verb.text) < MIN_VERB or not message.unnamed[index]:
        return False
    is_led = event.start > message.segment(event.start)[0] and len(message.tokens[event.start - 1].text) <= 2
    if is_led or len(message.tokens[index - 1].text) <= 2 or message.tokens[event.start].script != "cyrillic":
        return False
    words = message.grammar
    return verb.text.endswith(words.she_did if noun.endswith(words.she_events) else words.he_did)


def _is_at_named(message: Message, event: LexiconMatch) -> bool:
    """У Пугачёвой в субботу свадьба: behind "у" stands a name that nobody knows."""
    words = message.grammar
    for index in range(message.segment(event.start)[0], event.start - 1):
        if message.tokens[index].text not in words.at_whom or message.tokens[index + 1].text.startswith(words.parents):
            continue
        if message.at(index, "self") is None and is_strange(message, index + 1):
            return not message.has_in("self", index, event.start)
    return False


def _is_hers_apart(message: Message, event: LexiconMatch) -> bool:
    """3irs-ha: the "her" stands behind a hyphen."""
    if event.end >= len(message.tokens) or message.tokens[event.end].text not in message.grammar.her_endings:
        return False
    start, end = message.normal.raw_span(message.tokens[event.end - 1].start, message.tokens[event.end].end)
    last, hers = message.tokens[event.end - 1], message.tokens[event.end]
    return end - start == hers.end - last.start and hers.start == last.end + 1 and hers.script == "latin"


def _is_source(message: Message, event: LexiconMatch) -> bool:
    """The dress from the party goes back: what the event left behind."""
    index = event.start - 1
    first = message.segment(event.start)[0]
    while index > first and (
        any(message.at(index, name) is not None for name in ("self", "relation", "other"))
        or message.tokens[index].text in message.grammar.source_leads
    ):
        index -= 1
    if index <= first or message.tokens[index].text not in message.grammar.source_words:
        return False
    return any(match.category in _GARMENTS for match in message.ends[index])


def _is_of_their_own(message: Message, event: LexiconMatch) -> bool:
    """3ala 3irs binta: right behind the event stands somebody of theirs, with "his" or "her" attached."""
    if event.end >= message.segment(event.start)[1] or not message.unnamed[event.end]:
        return False
    word = message.tokens[event.end].text
    return word.startswith(message.grammar.kin_beginnings) and word.endswith(message.grammar.their_endings)


def _is_of_anothers(message: Message, event: LexiconMatch, relation: LexiconMatch) -> bool:
    """عرس صديقة أختي, graduation jarat okhti, my sister's friend's wedding: somebody who is theirs."""
    if relation.category != "relation":
        return False
    beside = [m for m in message.ends[relation.start] if m.category == "relation" and m.end == relation.start]
    after = message.at(relation.end, "relation")
    people = [*beside, *([after] if after is not None else [])]
    if any(not _has_attached_and(message, m) for m in people):
        return not _has_attached_and(message, relation)
    if relation.end <= event.start and _is_of_their_own(message, event):
        return True
    index = relation.start - 1
    if relation.language not in _CONSTRUCT or index < event.end or not message.unnamed[index]:
        return False
    word = message.tokens[index]
    words = message.grammar
    is_defined = word.text.startswith(words.the_letters) or message.tokens[index - 1].text in words.the_apart
    return not is_defined and not word.text.endswith(words.my_kin_endings)


def _has_attached_and(message: Message, person: LexiconMatch) -> bool:
    word = message.tokens[person.start]
    return word.script == "arabic" and word.text.startswith(message.grammar.and_letters)
