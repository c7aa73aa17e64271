"""The objects of a ban: the values it names, and those that its pronoun refers to."""

from __future__ import annotations

from patterns.matching.lexicon import LexiconMatch
from patterns.statements.likewise import list_likewise
from patterns.statements.persons import find_subject
from patterns.steps.draft import Fired
from patterns.steps.message import Message
from patterns.steps.values import ValueList, list_in_next_clause, opens_segment, read_values_after
from patterns.steps.values_before import read_topic, read_values_before

GENERAL = ("fabric", "material", "cut", "garment", "pattern")
ANY = (*GENERAL, "colour", "brand")
CATEGORIES = {"explicit": ANY, "habit": ANY, "want": GENERAL, "habit_bare": ANY, "lasting": ANY, "like": GENERAL}
CATEGORIES |= {"headed": ANY, "keep": ANY, "no_more": ANY, "never": ANY}
KEPT = {"keep": "out", "no_more": "more"}
_HEADING_MARKS = frozenset(":=-")
TOPIC = 5  # tokens of a short question that names what is banned
NO_THING = ("exposure", "general_this")
ONE_ITEM = frozenset(("fabric", "material", "colour", "brand"))  # "no leather jackets" does not ban leather
MAX_NAMED = 9  # tokens of a remark that names what the next one bans
MAX_BACK = 3  # remarks between what is named and the order that bans it


def list_added(message: Message, fired: Fired, values: ValueList) -> tuple[LexiconMatch, ...]:
    """I don't wear brown. Or orange."""
    end, categories = max(fired.end, values.end), CATEGORIES.get(fired.rule.kind, GENERAL)
    language = fired.rule.language
    more = list_in_next_clause(message, end, categories=categories, language=language, items_refuse=ONE_ITEM)
    return more or list_likewise(message, end, categories=categories, language=language, items_refuse=ONE_ITEM)


def find_banned(message: Message, fired: Fired) -> ValueList:
    """The values that a ban reaches: behind it, before it, or named in what its pronoun points back to."""
    categories = CATEGORIES.get(fired.rule.kind, GENERAL)
    side, language = fired.rule.object_side, fired.rule.language
    if fired.rule.kind == "never":
        return _find_before_never(message, fired)
    found = ValueList((), "not_in_vocabulary")
    if side in ("after", "both") and fired.end < len(message.tokens):
        place = _first_of_value(message, fired, categories)
        found = read_values_after(message, place, categories=categories, language=language, items_refuse=ONE_ITEM)
    if not found.items and found.reason != "one_item" and _carries_pronoun(message, fired):
        found = ValueList((), "pronoun")
    if fired.rule.kind == "headed" and found.items and not _is_headed(message, fired, found):
        return ValueList((), "no_heading")
    if fired.rule.kind in KEPT and found.items and not _is_kept_out(message, found.end, KEPT[fired.rule.kind]):
        return ValueList((), "not_kept_out")
    if found.items or (side == "after" and found.reason != "pronoun"):
        return found
    if found.reason == "one_item":
        return found
    return _find_before(message, fired, found)


def _find_before(message: Message, fired: Fired, found: ValueList) -> ValueList:
    """The values in front of the trigger, or those that it points back to. `found`: why none stands behind it."""
    categories, language = CATEGORIES.get(fired.rule.kind, GENERAL), fired.rule.language
    crossed = ",-:=" if found.reason == "pronoun" else "-:="
    before = read_values_before(
        message, fired.start, categories=categories, language=language, crossed=crossed, items_refuse=ONE_ITEM
    )
    if before.items and found.reason == "pronoun" and not opens_segment(message, before.start):
        named = _find_last_named(message, fired)
        before = named if named.items or fired.rule.kind in ("lasting", "habit_bare") else before
    is_tied = fired.rule.kind in ("habit", "habit_bare") or (
        fired.rule.kind == "explicit" and _is_disliked_before(message, fired)
    )
    points_back = found.reason == "pronoun" or (not found.items and message.ends_with(fired.start, "conj"))
    if not before.items and points_back and is_tied:
        before = _resolve_pronoun(message, fired)
    if not before.items and before.reason != "one_item" and found.reason == "pronoun":
        before = read_topic(message, fired.start, categories=categories, language=language, longest=TOPIC)
    if not before.items and before.reason != "one_item" and found.reason == "pronoun":
        before = _find_last_named(message, fired)
    is_told = fired.rule.kind == "explicit" or (fired.rule.kind == "habit_bare" and found.reason == "pronoun")
    if not before.items and before.reason != "one_item" and is_told:
        before = _find_disliked(message, fired, is_bare=found.reason != "pronoun")
    if (
        not before.items
        and before.reason == "not_in_vocabulary"
        and not says_more(message, fired.end, message.clause(fired.start)[1])
    ):
        before = _find_topic(message, fired)
    if before.items and _is_worn(message, fired, before):
        return found  # "ألبس حرير وما ألبس جينز"
    return before if before.items or before.reason == "one_item" else found


def _is_worn(message: Message, fired: Fired, before: ValueList) -> bool:
    """I wear silk and I don't wear jeans: what stands before an "and" is the object of a verb of its own."""
    if not message.ends_with(fired.start, "conj") and message.at(fired.start, "conj") is None:
        return False
    start = before.start
    if not start or message.tokens[start - 1].text not in message.grammar.i_wear:
        return False
    return not message.ends_with(start - 1, "negator")


def _is_headed(message: Message, fired: Fired, found: ValueList) -> bool:
    """Off limits: fur. / My ban list is fur and lace. What ties a list to its heading, and the list ends the clause."""
    between, verbs = message.tokens[fired.end : found.start], message.grammar.heading_verbs
    is_tied = any(token.text in _HEADING_MARKS or token.text in verbs for token in between)
    return is_tied and not says_more(message, found.end, message.segment(found.end - 1)[1])


def _first_of_value(message: Message, fired: Fired, categories: tuple[str, ...]) -> int:
    """I don't want see-through clothes: the trigger's last word can be the first of a value."""
    last = message.starts[fired.end - 1]
    is_value = fired.end - fired.start > 1 and any(name in last and last[name].end > fired.end for name in categories)
    return fired.end - 1 if is_value else fired.end


def _carries_pronoun(message: Message, fired: Fired) -> bool:
    """Arabic attaches it: لا تعرضينها, متقترحيهوش, ma albesah."""
    word, endings = message.tokens[fired.end - 1], message.grammar.object_endings
    if word.script == "latin" and fired.rule.language == "arabizi":
        return len(word.text) > 4 and word.text.endswith(endings)
    return any(
        word.script == "arabic" and len(word.text) > 4 and word.text.endswith(endings)
        for word in message.tokens[fired.start : fired.end]  # "لا تعرضينه علي"
    )


def _find_disliked(message: Message, fired: Fired, *, is_bare: bool) -> ValueList:
    """I can't stand ruffles, don't show me them. / Leopard? Hard pass. The dislike or question before names them."""
    first, last = message.clause(fired.start)
    if is_bare and says_more(message, fired.end, last):
        return ValueList((), "not_in_vocabulary")
    if fired.start == first and fired.rule.object_side == "before":
        return read_topic(message, fired.start, categories=ANY, language=fired.rule.language, longest=TOPIC)
    number = message.segment_of[fired.start] - 1
    if number < 0 or message.segments[number][0] < first or not message.has_in("dislike", *message.segments[number]):
        return ValueList((), "not_in_vocabulary")
    start, end = message.segments[number]
    if find_subject(message, start, end) == "other":
        return ValueList((), "other_subject")
    items = [m for index in range(start, end) if (m := _longest_value(message, index)) is not None]
    return ValueList(tuple(items), "" if items else "not_in_vocabulary")


def _find_last_named(message: Message, fired: Fired) -> ValueList:
    """Heels hurt, I never wear them: what a remark before names in general and does not praise."""
    if fired.rule.kind not in ("explicit", "habit"):
        return ValueList((), "pronoun")
    first, so_words = message.segment(fired.start)[0], message.grammar.so_words
    so = next((i for i in range(fired.start - 1, first, -1) if message.tokens[i].text in so_words), None)
    named = _list_named(message, first, so) if so is not None else None
    if named:  # "minis aren't appropriate for me so please never include them"
        return ValueList(named)
    number = message.segment_of[fired.start] - 1
    for _ in range(MAX_BACK):
        if number < 0:
            break
        first, last = message.segments[number]
        found = _list_named(message, first, last)
        if found is None:
            break
        if found:
            return ValueList(found)
        number -= 1
    return ValueList((), "pronoun")


def _find_topic(message: Message, fired: Fired) -> ValueList:
    """Lace? No, I never wear it / кружево? нет, не ношу: the topic that the clause begins with."""
    found = _find_last_named(message, fired)
    if not found.items:
        return ValueList((), "not_in_vocabulary")
    first = message.segment(found.start)[0]
    opens = all(token.kind == "mark" for token in message.tokens[first : found.start])
    return found if opens else ValueList((), "not_in_vocabulary")


def _list_named(message: Message, first: int, last: int) -> tuple[LexiconMatch, ...] | None:
    """The values that a remark names, () where it names none, None where the search ends with it."""
    if last - first > MAX_NAMED or message.has_uncovered_in("specific_item", ("garment", "cut"), first, last):
        return None
    grammar = message.grammar
    for category in ("fondness", "thing", "relation", "other"):
        named = [
            m for m in message.list_in(category, first, last) if not message.is_covered(m, ("exposure", "dislike"))
        ]
        if any(message.tokens[m.start].text not in grammar.heading_verbs or m.start == first for m in named):
            return None
    items = [m for index in range(first, last) if (m := _longest_value(message, index)) is not None]
    told = [span for span in message.triggered if span[1] - span[0] > 1]  # "shorts" alone asks for a size
    items = [m for m in items if not any(start <= m.start and m.end <= end for start, end in told)]
    is_shown = any(token.text in grammar.showing for token in message.tokens[first:last])  # "you keep showing me fur"
    if not is_shown and any(m.category in ("colour", "fabric") and not opens_segment(message, m.start) for m in items):
        return None
    if items and items[0].start == first:  # "stripes make me look like a zebra": the remark is on what it begins with
        listed = read_values_after(message, first, categories=ANY, language="", items_refuse=ONE_ITEM)
        return listed.items or tuple(items)
    return tuple(items)


def _is_disliked_before(message: Message, fired: Fired) -> bool:
    """I can't wear wool and never suggest it: the dislike stands in the order's own segment."""
    return message.has_in("dislike", message.segment(fired.start)[0], fired.start)


def _longest_value(message: Message, index: int) -> LexiconMatch | None:
    found = [m for category in ANY if (m := message.at(index, category)) is not None]
    if any(m.category in ANY and m.end > index and m.start < index for m in message.ends[index + 1]):
        return None
    return max(found, key=lambda m: m.end, default=None)


def _resolve_pronoun(message: Message, fired: Fired) -> ValueList:
    """I hate lace and don't wear it: the list before the "and" that ties the two verbs."""
    index = fired.start
    if index and message.tokens[index - 1].text in message.grammar.will_words:
        index -= 1  # "I despise yellow and will never wear it"
    for category in ("self", "conj", "contrast", "dislike"):
        tied = next((m for m in message.ends[index] if m.category == category), None)
        index = tied.start if tied is not None else index
    if index == fired.start:
        return ValueList((), "pronoun")
    return read_values_before(
        message, index, categories=ANY, language=fired.rule.language, crossed=",", items_refuse=ONE_ITEM
    )


def _find_before_never(message: Message, fired: Fired) -> ValueList:
    """Heels? Never. / Fur - never, thanks. Nothing but the value stands before, nothing but politeness after."""
    first, last = message.clause(fired.start)
    if says_more(message, fired.end, last):
        return ValueList((), "says_more")
    remark = _find_given_up(message, fired)
    if remark.items:
        return remark
    categories, language = CATEGORIES["never"], fired.rule.language
    if fired.start == first:
        found = read_topic(message, fired.start, categories=categories, language=language, longest=TOPIC)
        start = message.normal.clauses[message.clause_of[fired.start] - 1][0]
    else:
        found = read_values_before(
            message, fired.start, categories=categories, language=language, crossed="-:,=→", items_refuse=ONE_ITEM
        )
        start = first
    is_named = bool(found.items) and opens_segment(message, found.start)
    if not is_named or message.segment(found.start)[0] not in (start, found.start):
        return ValueList((), "not_in_vocabulary")
    return found


def _find_given_up(message: Message, fired: Fired) -> ValueList:
    """Heels and I broke up years ago, never again: what the remark right before begins with and does not praise."""
    number = message.segment_of[fired.start] - 1
    is_again = any(token.text in message.grammar.again_word for token in message.tokens[fired.start : fired.end])
    if not is_again or fired.start != message.segment(fired.start)[0] or number < 0:
        return ValueList((), "not_in_vocabulary")
    first, last = message.segments[number]
    found = _list_named(message, first, last) if first >= message.clause(fired.start)[0] else None
    if not found or not opens_segment(message, found[0].start):
        return ValueList((), "not_in_vocabulary")
    if message.tokens[found[-1].end].text not in message.grammar.given_up_by:
        return ValueList((), "not_in_vocabulary")
    return ValueList(found)


def says_more(message: Message, start: int, end: int) -> bool:
    """Whether [start, end) holds more than politeness and the like."""
    small = ("filler", "please", "lasting", "oath", "laugh", "polite", "pronoun", "decoy", "order_tag")
    return not message.has_only(small, start, end)


def _is_kept_out(message: Message, index: int, how: str) -> bool:
    """Keep fur out of my feed, no more fur suggestions: what has to follow the values."""
    out = message.at(index, "kept_out") if index < len(message.tokens) else None
    return out is not None and out.canonical == how
