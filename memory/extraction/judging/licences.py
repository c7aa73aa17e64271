"""What a statement must look like for a value to be a part of it: the second look at a reading (SPEC X-3). Pure.

The instant step refuses what speaks against a reading. A model cites what suits it, so here a reading must have a
licence besides: a value that is no direct object of its trigger counts only where nothing but a list ties the two, and
where nothing is said of it alone. Which words say nothing of it is data.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from memory.extraction.judging.value_places import UNITS, Place
from memory.extraction.judging.values import Wanted, fold_words
from memory.extraction.judging.wordings import list_followers, list_forms, list_phrases_in, list_small_words
from patterns.steps.message import Message

Span = tuple[int, int]
LISTED_TYPES: Final = ("allergy", "hard_ban")
"""Types of which one trigger may state several values."""
WRITER: Final = ("self", "first_person", "both", "request")
"""What shows that a statement is the writer's."""
LONG_VERB: Final = 4
"""Letters from which an ending makes a verb."""
FOR_LETTER: Final = "\u0644"
"""The Arabic letter that means "for" before a word."""
FIRST_YEAR: Final = 1950
"""From here on a number behind a word that dates is a year."""
JOURNEYS: Final = ("trip", "vacation", "holiday", "honeymoon", "move", "umrah", "flight")
"""Events behind which the name of a place stands."""
NEAR: Final = 3
"""Tokens behind an event in which whose it is stands."""
OCCASIONS: Final = ("date_phrase", "weekday", "month", "event", "work_party")
POINTING: Final = ("pronoun", "thing", "weak_thing")
COUNTED: Final = ("past", "relation", "other", "size_system", "half", "garment_word", "currency", "unit_length", "unit_weight", "measure_word", "budget_word", "size_word", "month", "event")
"""What says what a number counts."""
THINGS: Final = ("generic", "garment_word", "body_part")
"""Words for what is made of a value: a blouse, anything."""
JOINING: Final = ("conj", "negator", "self", "now", "lasting", "oath", "laugh", "please", *THINGS)
"""What may stand between the values of a list besides marks."""
NUMBERED_TYPES: Final = ("body_params", "budget")
NAMES: Final = {"body_params": ("size_word", "measure_word"), "budget": ("budget_word", "limit_word")}
"""Words that say what a number is, besides the triggers of a type."""
NAMING: Final = ("self", "conj", "oath", "laugh", "please", "article", "size_filler", "now", "approximately", "currency")
"""What may stand between a number and the words that say what it is."""
ASIDE: Final = ("conj", "oath", "laugh", "please", *THINGS)
UNREAL: Final = ("wish", "conditional", "hedge")
"""What makes a wording that ends a fact a wish or a guess."""
LEADING: Final = ("oath", "laugh", "please", "greeting", "now", "relation", "addressed")
TRAILING: Final = ("oath", "laugh", "please", "now", "addressed")
_DATA: Final = Path(__file__).parent / "data"


def is_licensed(
    message: Message, place: Place, wanted: Wanted, *, span: Span, triggers: Sequence[Span], telling: Sequence[Span]
) -> bool:
    """Whether the value is part of what its triggers state.

    `span`: the tokens of its reading, or its clause; `triggers`: tokens of those of its type; `telling`: of those among them that say it at a distance too.
    """
    if is_ironic(message) or _is_taken_back(message, span):
        return False
    if wanted.knowledge_type == "life_event":
        return not (_is_of_client(message, place, wanted) or _is_done(message, place) or _is_worked_at(message, place))
    if wanted.knowledge_type == "allergy" and not _is_of_writer(message, place, span):
        return False
    if wanted.knowledge_type == "hard_ban" and _is_for_a_time(message, place, triggers):
        return False
    if wanted.knowledge_type in LISTED_TYPES:
        inside = [t for t in triggers if span[0] <= t[0] < span[1]]
        return _is_listed(message, place, wanted, inside, telling) and not _is_of_thing(message, place, wanted, inside)
    if wanted.knowledge_type in NUMBERED_TYPES:
        if _is_mended(message, place, wanted) or _is_former(message, place, span):
            return False
        return _is_named(message, place, wanted, triggers, span)
    return True


def is_understood(message: Message, place: Place, wanted: Wanted, *, span: Span, told: Sequence[Span]) -> bool:
    """Whether the part of the sentence that states the value has no word that nobody knows (D-24).

    What is not understood may turn a statement round: a nickname, a pet, a half of it. Behind an "and", a reason and
    the name of a journey something else is told. `told`: tokens of all triggers.
    """
    first, last = message.segment(span[0])[0], message.segment(span[1] - 1)[1]
    behind = min([last, *_list_breaks(message, span[1], last)])
    if wanted.value in JOURNEYS:
        behind = place.end
    known = {index for begin, end in told for index in range(begin, end)}
    return not any(
        message.unnamed[index] and index not in known and not _is_plain(message, index)
        for index in range(first, max(behind, span[1]))
    )


def _list_breaks(message: Message, start: int, last: int) -> list[int]:
    opened = [begin for begin, _ in list_phrases_in(message, (start, last), [*list_reasons(), *list_since()])]
    joined = [m.start for m in message.list_in("conj", start, last) if not message.at(m.start, "with")]
    return [i for i in range(start, last) if i in joined or _opens_with_and(message, i) or i in opened]


def _is_plain(message: Message, index: int) -> bool:
    """A word of the lists here, or a number with its letters: 2k, 9th."""
    return _is_in(message, index, list_plain()) or message.tokens[index].text[:1].isdecimal()


def _is_of_writer(message: Message, place: Place, span: Span) -> bool:
    """Whether the writer is named where the allergy is stated, or else nobody and nothing that is not understood.

    "A reviewer got a rash", "we test for formaldehyde, it is bad for the allergic" tell of somebody else.
    """
    parts = [message.segment(span[0]), message.segment(span[1] - 1)]
    if parts[0] == parts[1] or place.start > span[0]:
        return _names_writer(message, parts[0][0], parts[1][1]) or not _has_strange(message, parts, span)
    return _names_writer(message, *parts[1]) or not _has_strange(message, parts[1:], span)


def _names_writer(message: Message, start: int, end: int) -> bool:
    if any(message.has_in(name, start, end) for name in WRITER):
        return True
    endings = (*message.grammar.my_verb_endings, *message.grammar.at_me_endings)
    words = (message.tokens[i] for i in range(start, end) if not _is_value(message, i))
    return any(word.kind == "word" and len(word.text) >= LONG_VERB and word.text.endswith(endings) for word in words)


def _is_value(message: Message, index: int) -> bool:
    return any(message.at(index, name) for name in ("fabric", "irritant", "material"))


def _has_strange(message: Message, parts: Sequence[Span], span: Span) -> bool:
    """A word that neither the vocabulary nor a rule knows, outside what is read and before what an "and" adds."""
    for part in parts:
        for index in range(*part):
            if index >= span[1] and (message.at(index, "conj") or _opens_with_and(message, index)):
                break
            if message.strange[index] and not span[0] <= index < span[1]:
                return True
    return False


def _opens_with_and(message: Message, index: int) -> bool:
    return any(match.has_and for match in message.starts[index].values())


def _is_of_thing(message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span]) -> bool:
    """Allergic to synthetic smiles: right behind the value stands a word that nobody knows."""
    if wanted.knowledge_type != "allergy" or not any(end <= place.start for _, end in triggers):
        return False
    last = message.segment(place.end - 1)[1]
    if place.end >= last or not message.strange[place.end]:
        return False
    text = message.tokens[place.end].text
    return not text.startswith(tuple(message.grammar.and_letters)) and is_closed(message, place.end, wanted, ()) is False


def is_ironic(message: Message) -> bool:
    """Whether a sign of irony stands anywhere."""
    return any(token.text in list_irony() for token in message.tokens)


def is_dated_back(message: Message, place: Place, year: int) -> bool:
    """Whether a year before this one stands behind a word that dates: "75 kg in 2018"; "since 2018" is still so."""
    first, last = message.segment(place.start)
    return any(
        message.tokens[index].text.isdecimal()
        and FIRST_YEAR <= int(message.tokens[index].text) < year
        and _is_in(message, index - 1, list_dating())
        for index in range(first + 1, last)
        if not place.start <= index < place.end
    )


def _is_compared(message: Message, place: Place) -> bool:
    """500 is more than my budget: behind the number stand several words of "more", and then the budget."""
    more = message.at(place.end, "maximum")
    return more is not None and more.end > more.start + 1 and message.at(more.end, "budget_word") is not None


def _is_worked_at(message: Message, place: Place) -> bool:
    """My sister photographs a wedding: between the person and the event stands a verb that nobody knows."""
    people = message.list_in("relation", message.segment(place.start)[0], place.start)
    if not people:
        return False
    between = (people[-1].end, place.start)
    return message.has_in("other", *between) or any(message.unnamed[index] for index in range(*between))


def _is_taken_back(message: Message, span: Span) -> bool:
    """They say I'm allergic to wool, that's an error."""
    last = message.clause(span[0])[1]
    return bool(list_phrases_in(message, (span[1], last), list_untrue()))


def _is_former(message: Message, place: Place, span: Span) -> bool:
    """72 kg is my old weight."""
    first, last = message.segment(span[0])[0], message.segment(max(span[1], place.end) - 1)[1]
    if last < message.clause(span[0])[1]:
        last = message.segment(last)[1]
    return bool(list_phrases_in(message, (first, last), list_former()))


def _is_done(message: Message, place: Place) -> bool:
    """Nailed my presentation, back from my trip: what leads up to the event tells of what is over."""
    if list_phrases_in(message, (message.segment(place.start)[0], place.start), list_returns()):
        return True
    endings = tuple(word for phrase in list_done_endings() for word in phrase)
    words = [message.tokens[i] for i in range(message.segment(place.start)[0], place.start) if message.strange[i]]
    return any(len(word.text) > LONG_VERB and word.text.endswith(endings) for word in words)


def _is_of_client(message: Message, place: Place, wanted: Wanted) -> bool:
    """A wedding for a client: right behind the event stands a person who is no relation."""
    if wanted.knowledge_key != wanted.value:
        return False
    person = message.find_in("other", place.end, min(place.end + NEAR, message.segment(place.end - 1)[1]))
    return person is not None and person.canonical == "person" and person.start not in message.consumed


def _is_for_a_time(message: Message, place: Place, triggers: Sequence[Span]) -> bool:
    """No heels for tomorrow, no jeans for Friday's party: a ban with a day or an occasion of its own."""
    last = message.segment(place.end - 1)[1]
    part = message.segment(place.start)
    first = min((start for start, _ in triggers if part[0] <= start), default=place.start)
    if part[0] < min(first, place.start) and _is_attached_to(message, part[0]):
        return True
    if message.has_in("lasting", *part):
        return False
    known = _list_named(message, (place.end, last), list_closings())
    if any(m.start not in known for name in OCCASIONS for m in message.list_in(name, place.end, last)):
        return True
    return place.end < last and _is_attached_to(message, place.end) and place.end not in known


def _is_attached_to(message: Message, index: int) -> bool:
    """An Arabic "for" that is written together with what it is for."""
    text = message.tokens[index].text
    return len(text) > LONG_VERB and text.startswith(FOR_LETTER)


def _is_mended(message: Message, place: Place, wanted: Wanted) -> bool:
    """Another number follows that takes its place: "156, sorry, 165", "a thousand, no, let it be 700"."""
    first, last = message.segment(place.end - 1)[1], message.clause(place.start)[1]
    is_turned = message.find_in("self_correction", place.end, last)
    if is_turned is not None and any(token.kind == "number" for token in message.tokens[is_turned.end : last]):
        return True
    if "size" in wanted.knowledge_key and _is_resized(message, first, last):
        return True
    if wanted.knowledge_key not in UNITS:
        return False
    return any(_is_other_number(message, index, str(wanted.value)) for index in range(first, last))


def _is_resized(message: Message, first: int, last: int) -> bool:
    """Size M, sorry, wrong, L: another letter stands in the next part with a word that nobody knows and no owner."""
    if first >= last or not message.has_in("size_letter", *message.segment(first)):
        return False
    part = message.segment(first)
    if any(message.has_in(name, *part) for name in (*COUNTED, "negator", "self", "conj")):
        return False
    return any(message.strange[index] for index in range(*part))


def _is_other_number(message: Message, index: int, value: str) -> bool:
    """A number as long as the value, with nothing in its part of the sentence that denies or counts it."""
    text, part = message.tokens[index].text, message.segment(index)
    if not text.isdecimal() or len(text) != len(value) or text == value:
        return False
    return not any(message.has_in(name, *part) for name in (*COUNTED, "negator"))


def _is_named(message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span], span: Span) -> bool:
    """A number or size before its trigger: nothing else stands between, or what it is comes as an afterthought."""
    marked = [m for name in NAMES[wanted.knowledge_type] for m in message.list_in(name, *span)]
    here = sorted([*(t for t in triggers if span[0] <= t[0] < span[1]), *((m.start, m.end) for m in marked)])
    if not here or here[0][0] < place.end:
        return True
    start = here[0][0]
    segment, other = message.segment(place.start), message.segment(start)
    if other == segment:
        return not _is_compared(message, place) and _is_small(message, place.end, start)
    points_back = any(message.has_in(name, other[0], start) for name in POINTING)
    return points_back or _is_small(message, segment[0], place.start)


def _is_listed(
    message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span], telling: Sequence[Span]
) -> bool:
    before = [t for t in triggers if t[1] <= place.start]
    if not before:
        return wanted.knowledge_type != "hard_ban" or _is_taken_up(message, place, wanted, triggers)
    if _is_stated_behind(message, place, wanted, telling):
        return True
    first = max(end for _, end in before)
    if not _is_continued(message, first, place, wanted, before):
        return True
    if _is_one_of_several(message, place):
        return True
    is_tied = _is_joining(message, first, place.start, wanted)
    return is_tied and is_closed(message, place.end, wanted, telling)


def _is_taken_up(message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span]) -> bool:
    """A refusal in a later part of the sentence: a word that points back, or nothing else between the two."""
    start = min((begin for begin, _ in triggers if begin >= place.end), default=place.end)
    part = message.segment(start) if start < len(message.tokens) else message.segment(place.start)
    if part == message.segment(place.start) or message.has_in("pronoun", *part):
        return True
    return not any(message.strange[index] for index in range(part[0], start))


def _is_stated_behind(message: Message, place: Place, wanted: Wanted, triggers: Sequence[Span]) -> bool:
    """A trigger of its own behind the value, with nothing but small words between."""
    behind = [start for start, _ in triggers if start >= place.end and start < message.segment(place.end - 1)[1]]
    return bool(behind) and _is_joining(message, place.end, min(behind), wanted)


def _is_one_of_several(message: Message, place: Place) -> bool:
    """Wool or silk: an "or" begins no statement of its own."""
    before = place.start - 1
    while before >= 0 and _is_in(message, before, list_articles()):
        before -= 1
    return before >= 0 and _is_in(message, before, list_or_words())


def _is_continued(message: Message, first: int, place: Place, wanted: Wanted, before: Sequence[Span]) -> bool:
    """Whether the value is not what stands right behind the trigger: another value, a comma or an "and" is between."""
    if message.segment(first - 1) != message.segment(place.start):
        return True
    if any(message.has_in(category, first, place.start) for category in (*wanted.categories, "conj")):
        return True
    matches = [message.at(place.start, category) for category in wanted.categories]
    return any(match is not None and match.has_and for match in matches)


def is_ending(message: Message, span: Span) -> bool:
    """Whether a wording that ends a fact stands alone in its part of the sentence: nothing limits or lends it."""
    first, last = message.segment(span[0])
    if any(message.has_in(name, *message.clause(span[0])) for name in UNREAL):
        return False
    if _is_held_against(message, last) or _is_limited(message, (first, last)):
        return False
    if message.has_in("fondness", span[1], message.clause(span[0])[1]):
        return False
    return _is_led_up_to(message, first, span[0]) and _is_rounded_off(message, span[1], last)


def is_own_words(message: Message, span: Span) -> bool:
    """Whether nobody lends a wording of liking: no word that is not understood leads up to it, no wish, no guess."""
    first = message.segment(span[0])[0]
    is_lent = any(message.strange[index] for index in range(first, span[0]))
    return not is_lent and not any(message.has_in(name, *message.clause(span[0])) for name in UNREAL)


def _is_limited(message: Message, part: Span) -> bool:
    known = _list_named(message, part, list_tails())
    return any(begin not in known for begin, _ in list_phrases_in(message, part, list_limits()))


def _is_led_up_to(message: Message, first: int, start: int) -> bool:
    if first < start and list_phrases_in(message, (first, start), list_since()):
        return True
    known = _list_named(message, (first, start), list_leads()) | _list_covered(message, first, start, LEADING)
    return all(message.tokens[i].kind == "mark" or i in known for i in range(first, start))


def _is_rounded_off(message: Message, start: int, last: int) -> bool:
    known = _list_named(message, (start, last), list_tails()) | _list_covered(message, start, last, TRAILING)
    reasons = {begin for begin, _ in list_phrases_in(message, (start, last), [*list_reasons(), *list_since()])}
    for index in range(start, last):
        if index in reasons:
            return True
        if message.tokens[index].kind != "mark" and index not in known:
            return False
    return True


def _list_named(message: Message, part: Span, phrases: Sequence[Sequence[str]]) -> set[int]:
    return {index for begin, end in list_phrases_in(message, part, phrases) for index in range(begin, end)}


def _is_joining(message: Message, start: int, end: int, wanted: Wanted) -> bool:
    """Whether [start, end) is marks, small words, "and" and other values of the kind."""
    categories = (*JOINING, *wanted.categories)
    return all(
        _is_in(message, index, list_joinings()) or _is_of(message, index, categories) for index in range(start, end)
    )


def is_closed(message: Message, start: int, wanted: Wanted, triggers: Sequence[Span]) -> bool:
    """Whether nothing is said of a value that ends at `start` before its part of the sentence ends."""
    last = message.segment(start - 1)[1]
    if _is_held_against(message, last):
        return False
    opened = {begin for begin, _ in list_phrases_in(message, (start, last), list_reasons())}
    closing = {
        index for begin, end in list_phrases_in(message, (start, last), list_closings()) for index in range(begin, end)
    }
    covered = _list_covered(message, start, last, (*ASIDE, *wanted.categories))
    for index in range(start, last):
        if index in opened or any(begin == index for begin, _ in triggers):
            return True
        if message.tokens[index].kind != "mark" and index not in closing and index not in covered:
            return False
    return True


def _is_held_against(message: Message, last: int) -> bool:
    """ "Suede though, daily": a "but" right behind the value with nothing of its own."""
    if last >= len(message.tokens) or message.tokens[last - 1].kind == "mark" or not message.at(last, "contrast"):
        return False
    return message.has_only(("contrast",), *message.segment(last))


def _is_small(message: Message, start: int, end: int) -> bool:
    return all(_is_of(message, index, NAMING) for index in range(start, end))


def _list_covered(message: Message, start: int, last: int, categories: Sequence[str]) -> set[int]:
    return {
        index
        for name in categories
        for match in message.list_in(name, start, last)
        for index in range(match.start, match.end)
    }


def _is_of(message: Message, index: int, categories: Sequence[str]) -> bool:
    if message.tokens[index].kind == "mark" or not list_small_words().isdisjoint(list_forms(message)[index]):
        return True
    return any(
        match.start <= index < match.end
        for name in categories
        for match in message.list_in(name, max(0, index - 4), index + 1)
    )


def _is_in(message: Message, index: int, words: frozenset[str]) -> bool:
    return not words.isdisjoint(list_forms(message)[index])


@lru_cache(maxsize=1)
def list_joinings() -> frozenset[str]:
    """Words that may stand between the values of a list."""
    return _list_words("joining_words.txt")


@lru_cache(maxsize=1)
def list_or_words() -> frozenset[str]:
    """Words for "or" and "nor"."""
    return _list_words("or_words.txt")


@lru_cache(maxsize=1)
def list_articles() -> frozenset[str]:
    """Small words between an "or" and its value."""
    return _list_words("article_words.txt")


@lru_cache(maxsize=1)
def list_leads() -> tuple[tuple[str, ...], ...]:
    """Words that lead up to a wording that ends a fact."""
    return _list_phrases("ending_leads.txt")


@lru_cache(maxsize=1)
def list_tails() -> tuple[tuple[str, ...], ...]:
    """Words behind a wording that ends a fact that take nothing of it back."""
    return _list_phrases("ending_tails.txt")


@lru_cache(maxsize=1)
def list_limits() -> tuple[tuple[str, ...], ...]:
    """Words that leave part of a fact standing."""
    return _list_phrases("limiting_words.txt")


@lru_cache(maxsize=1)
def list_since() -> tuple[tuple[str, ...], ...]:
    """Words that open the time since when a fact is over."""
    return _list_phrases("since_words.txt")


@lru_cache(maxsize=1)
def list_irony() -> frozenset[str]:
    """Signs of irony."""
    return frozenset("🙃🙄😏")


@lru_cache(maxsize=1)
def list_dating() -> frozenset[str]:
    """Words before a year in which something was so."""
    return _list_words("dating_words.txt")


@lru_cache(maxsize=1)
def list_untrue() -> tuple[tuple[str, ...], ...]:
    """Words that call untrue what was said before."""
    return _list_phrases("untrue_words.txt")


@lru_cache(maxsize=1)
def list_former() -> tuple[tuple[str, ...], ...]:
    """Words for what somebody had before."""
    return _list_phrases("former_words.txt")


@lru_cache(maxsize=1)
def list_returns() -> tuple[tuple[str, ...], ...]:
    """Words of coming home from what is over."""
    return _list_phrases("return_words.txt")


@lru_cache(maxsize=1)
def list_done_endings() -> tuple[tuple[str, ...], ...]:
    """Endings of verbs that tell of what is over."""
    return _list_phrases("done_endings.txt")


def _list_words(name: str) -> frozenset[str]:
    return frozenset(word for phrase in _list_phrases(name) for word in phrase)


@lru_cache(maxsize=1)
def list_plain() -> frozenset[str]:
    """Words that turn no statement round, wherever they stand in it."""
    phrases = (*list_closings(), *list_reasons(), *list_tails(), *list_leads(), *list_since())
    listed = {word for phrase in phrases for word in phrase}
    return frozenset(listed | list_joinings() | list_small_words() | list_followers() | _list_words("plain_words.txt"))


@lru_cache(maxsize=1)
def list_closings() -> tuple[tuple[str, ...], ...]:
    """Words behind the last value of a list that say nothing of it alone."""
    return _list_phrases("closing_words.txt")


@lru_cache(maxsize=1)
def list_reasons() -> tuple[tuple[str, ...], ...]:
    """Words that open a reason or a time."""
    return _list_phrases("reason_words.txt")


def _list_phrases(name: str) -> tuple[tuple[str, ...], ...]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    phrases = [phrase for line in lines if line and not line.startswith("#") for phrase in line.split(",")]
    return tuple(folded for phrase in phrases if (folded := fold_words(phrase)))
