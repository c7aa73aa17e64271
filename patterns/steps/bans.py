"""What is never to be offered (GUIDE hard_ban; ENGINE steps 7 to 9)."""

from __future__ import annotations

from patterns.lexicon import LexiconMatch
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.mended import read_mended
from patterns.steps.message import Message
from patterns.steps.values import (
    ValueList,
    list_in_next_clause,
    opens_segment,
    read_topic,
    read_values_after,
    read_values_before,
)
from patterns.steps.vetoes import find_statement_veto, find_subject, is_negated

GENERAL = ("fabric", "material", "cut", "garment", "pattern")
ANY = (*GENERAL, "colour", "brand")
CATEGORIES = {"explicit": ANY, "habit": ANY, "want": GENERAL, "habit_bare": ANY, "lasting": ANY, "like": GENERAL}
_ASKED = frozenset(("that", "if", "rather", "ask", "need", "want", "beg", "hope", "should", "must"))
_TOLD_OF = frozenset(("you", "u", "they", "we", "she", "he", "stores", "shops", "people", "why"))
_BARE_VERDICTS = frozenset(("banned", "forbidden", "blacklisted"))
_LIMITS = frozenset(("when", "while", "unless", "когда", "пока"))
CATEGORIES |= {"headed": ANY, "keep": ANY, "no_more": ANY, "never": ANY}
KEPT = {"keep": "out", "no_more": "more"}
_ATTACHED = ("ها", "هم", "هن", "ينه", "ونه", "هوش", "هاش", "همش")
TOPIC = 5  # tokens of a short question that names what is banned
_NO_THING = ("exposure", "general_this")
ONE_ITEM = frozenset(("fabric", "material", "colour", "brand"))  # "no leather jackets" does not ban leather
SHORT_SEGMENT = 5
MAX_POLITE = 4
PRONOUN_REACH = 3  # "don't show me her": small words before what points back
MAX_NAMED = 9  # tokens of a remark that names what the next one bans
MAX_BACK = 3  # remarks between what is named and the order that bans it
OCCASION_REACH = 4  # words between "to" and "wedding"


def read_bans(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Every value that a ban, a habit or a general "don't want" reaches and nothing limits to a day, place or item."""
    for trigger in fired:
        if not findings.taken.isdisjoint(range(trigger.start, trigger.end)):
            findings.refuse(trigger, "taken_by_budget")
            continue
        values = _find_values(message, trigger)
        categories = CATEGORIES.get(trigger.rule.kind, GENERAL)
        values = read_mended(message, values, categories=categories, language=trigger.rule.language)
        if not values.items:
            findings.refuse(trigger, values.reason)
            continue
        reason = _find_veto(message, trigger, values)
        if reason is not None:
            findings.refuse(trigger, reason)
            continue
        for item in (*values.items, *_list_added(message, trigger, values)):
            if item.end <= trigger.start and item.start in findings.named_allergens:
                findings.refuse(trigger, "is_allergy")  # "acrylic is out, I'm allergic to it" names one thing once
                continue
            start, end = min(trigger.start, item.start), max(trigger.end, item.end)
            findings.drafts.append(Draft("hard_ban", item.canonical, item.canonical, start, end, trigger.rule))


def _list_added(message: Message, fired: Fired, values: ValueList) -> tuple[LexiconMatch, ...]:
    """I don't wear brown. Or orange."""
    end, categories = max(fired.end, values.end), CATEGORIES.get(fired.rule.kind, GENERAL)
    return list_in_next_clause(message, end, categories=categories, language=fired.rule.language, items_refuse=ONE_ITEM)


def _find_values(message: Message, fired: Fired) -> ValueList:
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
    crossed = ",-:=" if found.reason == "pronoun" else "-:="
    before = read_values_before(
        message, fired.start, categories=categories, language=language, crossed=crossed, items_refuse=ONE_ITEM
    )
    if before.items and found.reason == "pronoun" and not opens_segment(message, before.start):
        named = _find_last_named(message, fired)
        before = named if named.items or fired.rule.kind in ("lasting", "habit_bare") else before
    is_tied = fired.rule.kind == "habit" or (fired.rule.kind == "explicit" and _is_disliked_before(message, fired))
    points_back = found.reason == "pronoun" or (not found.items and message.ends_with(fired.start, "conj"))
    if not before.items and points_back and is_tied:
        before = _resolve_pronoun(message, fired)
    if not before.items and before.reason != "one_item" and found.reason == "pronoun":
        before = read_topic(message, fired.start, categories=categories, language=language, longest=TOPIC)
    if not before.items and before.reason != "one_item" and found.reason == "pronoun":
        before = _find_last_named(message, fired)
    if not before.items and before.reason != "one_item" and fired.rule.kind == "explicit":
        before = _find_disliked(message, fired, is_bare=found.reason != "pronoun")
    if (
        not before.items
        and before.reason == "not_in_vocabulary"
        and not _says_more(message, fired.end, message.clause(fired.start)[1])
    ):
        before = _find_topic(message, fired)
    return before if before.items or before.reason == "one_item" else found


def _is_headed(message: Message, fired: Fired, found: ValueList) -> bool:
    """Off limits: fur. / My ban list is fur and lace. What ties a list to its heading, and the list ends the clause."""
    between = message.tokens[fired.end : found.start]
    is_tied = any(token.text in (":", "=", "-", "is", "are", "это") for token in between)
    return is_tied and not _says_more(message, found.end, message.segment(found.end - 1)[1])


def _first_of_value(message: Message, fired: Fired, categories: tuple[str, ...]) -> int:
    """I don't want see-through clothes: the trigger's last word can be the first of a value."""
    last = message.starts[fired.end - 1]
    is_value = fired.end - fired.start > 1 and any(name in last and last[name].end > fired.end for name in categories)
    return fired.end - 1 if is_value else fired.end


def _carries_pronoun(message: Message, fired: Fired) -> bool:
    """Arabic attaches it: لا تعرضينها, متقترحيهوش."""
    word = message.tokens[fired.end - 1]
    return word.script == "arabic" and len(word.text) > 4 and word.text.endswith(_ATTACHED)


def _find_disliked(message: Message, fired: Fired, *, is_bare: bool) -> ValueList:
    """I can't stand ruffles, don't show me them. / Leopard? Hard pass. The dislike or question before names them."""
    first, last = message.clause(fired.start)
    if is_bare and _says_more(message, fired.end, last):
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
    for category in ("fondness", "thing", "relation", "other"):
        named = [
            m for m in message.list_in(category, first, last) if not message.is_covered(m, ("exposure", "dislike"))
        ]
        if any(message.tokens[m.start].text != "это" or m.start == first for m in named):
            return None
    items = [m for index in range(first, last) if (m := _longest_value(message, index)) is not None]
    if any(m.category in ("colour", "fabric") and not opens_segment(message, m.start) for m in items):
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
    if _says_more(message, fired.end, last):
        return ValueList((), "says_more")
    categories, language = CATEGORIES["never"], fired.rule.language
    if fired.start == first:
        found = read_topic(message, fired.start, categories=categories, language=language, longest=TOPIC)
        start = message.normal.clauses[message.clause_of[fired.start] - 1][0]
    else:
        found = read_values_before(
            message, fired.start, categories=categories, language=language, crossed="-:,", items_refuse=ONE_ITEM
        )
        start = first
    is_named = bool(found.items) and opens_segment(message, found.start)
    if not is_named or message.segment(found.start)[0] not in (start, found.start):
        return ValueList((), "not_in_vocabulary")
    return found


def _says_more(message: Message, start: int, end: int) -> bool:
    """Whether [start, end) holds more than politeness and the like."""
    small = ("filler", "please", "lasting", "oath", "laugh", "polite", "pronoun", "decoy", "order_tag")
    return not message.has_only(small, start, end)


def _is_kept_out(message: Message, index: int, how: str) -> bool:
    """Keep fur out of my feed, no more fur suggestions: what has to follow the values."""
    out = message.at(index, "kept_out") if index < len(message.tokens) else None
    return out is not None and out.canonical == how


def _find_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    kind = fired.rule.kind
    start, end = min(fired.start, values.start), max(fired.end, values.end)
    if message.clause_of[values.start] != message.clause_of[fired.start]:
        start, end = fired.start, fired.end
    if kind == "like":
        return "like"
    if kind == "explicit" and fired.end - fired.start == 1 and message.tokens[fired.start].text in _BARE_VERDICTS:
        if values.end <= fired.start and _says_more(message, fired.end, message.clause(fired.start)[1]):
            return "says_more"
    if kind == "explicit" and _is_complaint(message, fired):
        return "statement"
    if kind in ("want", "habit", "habit_bare") and _is_told_of(message, fired):
        return "other_subject"
    is_order = kind == "explicit"  # "if it has ruffles, don't show it" is no condition
    own = _list_polite(message, fired)
    veto = find_statement_veto(message, fired.start, fired.end, is_order=is_order, exposures=own)
    veto = veto or find_statement_veto(message, start, end, is_order=is_order, exposures=own)
    if veto is not None and not (veto == "question" and is_order and _is_polite_order(message, fired)):
        return veto
    named = message.segment(values.start)[0]
    if values.start < fired.start and message.has_uncovered_in("thing", _NO_THING, named, values.start):
        return "one_item"
    if _is_garment(message, values):
        return "one_item"
    clause = message.clause(start)
    ever = fired.start > 0 and message.tokens[fired.start - 1].text == "ever"  # "don't ever stop showing me lace"
    is_doubled = fired.rule.language == "ru" and message.tokens[fired.start - 1].text in ("never", "никогда")
    if kind == "explicit" and not is_doubled and is_negated(message, fired.start, reach=1 + ever):
        return "double_negation"
    if message.has_in("double_negation", *clause):
        return "double_negation"
    if message.has_in("exception", message.segment(start)[0], message.segment(end - 1)[1]) or _is_excepted(
        message, end
    ):
        return "exception"
    if message.has_in("softener", message.segment(max(start, fired.start))[0], message.segment(end - 1)[1]):
        return "softener"
    if is_scoped(message, start, end):
        return "scope"
    if kind in ("habit", "habit_bare", "want") and _is_limited(message, end):
        return "conditional"
    if kind == "lasting" and not message.marks.get("lasting"):
        return "not_lasting"
    if kind == "lasting" and _is_denied(message, fired.start):
        return "double_negation"
    return _find_subject_veto(message, fired, values)


def _is_garment(message: Message, values: ValueList) -> bool:
    """The velvet dress, الفستان المخمل: what is refused is that garment, not its material."""
    first = values.items[0]
    return first.category in ONE_ITEM and any(m.category == "that_garment" for m in message.ends[first.start])


def _list_polite(message: Message, fired: Fired) -> tuple[int, ...]:
    """The "if" and "would" of "I'd be happy if you never showed me that": they put no condition."""
    if fired.rule.kind != "explicit":
        return ()
    first = max(message.segment(fired.start)[0], fired.start - MAX_POLITE)
    return tuple(m.start for name in ("conditional", "wish") for m in message.list_in(name, first, fired.end))


def _is_complaint(message: Message, fired: Fired) -> bool:
    """ "You never show me leather" tells what happens, "never show me leather" orders it."""
    first = message.clause(fired.start)[0]
    before = message.tokens[fired.start - 1].text if fired.start > first else ""
    asking = message.tokens[fired.start - 2].text if fired.start - 1 > first else ""
    return (
        asking not in _ASKED
        and before in _TOLD_OF
        and message.tokens[fired.start].text in ("never", "dont", "do", "not")
    )


def _is_told_of(message: Message, fired: Fired) -> bool:
    """ "You don't want me in leather": the word right before says who."""
    return fired.start > message.clause(fired.start)[0] and message.tokens[fired.start - 1].text in _TOLD_OF


def _is_limited(message: Message, end: int) -> bool:
    """I don't wear suede when it's raining."""
    last = message.segment(end - 1)[1]
    return any(message.tokens[index].text in _LIMITS for index in range(end, last))


def _is_denied(message: Message, start: int) -> bool:
    """ "Could never live without leather": a "not" before, with no value of its own between."""
    negator = message.find_last_in("negator", max(message.segment(start)[0], start - 5), start)
    if negator is None:
        return False
    return not any(message.has_in(category, negator.end, start) for category in ANY)


def _is_polite_order(message: Message, fired: Fired) -> bool:
    """ "Could you stop showing me heels?" orders, whatever its mark."""
    opener = message.find_last_in("polite_opener", max(0, fired.start - MAX_POLITE), fired.start + 1)
    return opener is not None and opener.end >= fired.start - 1


def _find_subject_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    """An order may name for whom; a bare habit or "no X ever" belongs to the nearest person."""
    kind = fired.rule.kind
    start, end = min(fired.start, values.start), max(fired.end, values.end)
    if kind == "habit" and message.ends_with(fired.start, "firm"):
        return "other_subject"
    pronoun = message.find_in("pronoun", fired.end, min(fired.end + PRONOUN_REACH, message.segment(fired.end - 1)[1]))
    first = pronoun.end if pronoun is not None else fired.end
    near = min(first + 2, message.segment(fired.end - 1)[1])
    if kind == "explicit" and _person_in(message, first, max(values.start, near)):
        return "other_subject"
    if kind in ("explicit", *KEPT) and (_is_for_another(message, fired, end) or _is_ordered_for(message, fired)):
        return "other_subject"
    if kind in ("explicit", *KEPT) and _has_receiver(message, start, end):
        return "other_subject"
    if kind in ("lasting", "habit_bare", "headed") and find_subject(message, start, end) == "other":
        return "other_subject"
    return None


def _has_receiver(message: Message, start: int, end: int) -> bool:
    """Ей пайетки не подсовывай, everything you send her: a third person is shown it, and not the writer."""
    segment = message.segment(start)[0], message.segment(end - 1)[1]
    return message.has_in("receiver", *segment) and not message.has_in("self", *segment)


def _is_ordered_for(message: Message, fired: Fired) -> bool:
    """Дочке не предлагайте мини: the one who is spared stands before the order."""
    first = message.segment(fired.start)[0]
    people = [m for m in message.list_in("relation", first, fired.start) if m.start not in message.consumed]
    if not people or message.tokens[people[-1].start].script != "cyrillic":
        return False
    return not message.has_in("self", people[-1].end, fired.end)


def _is_for_another(message: Message, fired: Fired, end: int) -> bool:
    """Don't show fur to my sister, не предлагай мех сестре; "it's giving aunty" names nobody that is shown anything."""
    for person in message.list_in("relation", fired.end, message.segment(end - 1)[1]):
        if message.is_covered(person, ("brand",)):
            continue  # the "mother" in اتش اند ام
        is_named = person.start < end or message.tokens[person.start].script != "latin"
        if is_named or message.has_in("toward", end, person.start) or message.has_in("self", end, person.start):
            return True
    return False


def _person_in(message: Message, start: int, end: int) -> bool:
    people = [m for c in ("relation", "other") for m in message.list_in(c, start, end)]
    return any(m.start not in message.consumed for m in people)


def _is_excepted(message: Message, end: int) -> bool:
    """An exception that opens the next segment: never leather, except shoes."""
    after = message.segment_of[end - 1] + 1
    if after >= len(message.segments):
        return False
    start, stop = message.segments[after]
    return stop <= message.clause(end - 1)[1] and message.has_in("exception", start, min(stop, start + 2))


def is_scoped(message: Message, start: int, end: int) -> bool:
    """A day, place or occasion in the segments of the ban, or alone in a short one beside it."""
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    scopes = [m for m in message.list_in("scope", first, last) if message.at(m.start, "kept_out") is None]
    if any(not message.is_covered(m, ("dislike",)) for m in scopes) or message.has_in("weekday", first, last):
        return True
    if _has_occasion(message, end, last) or _has_occasion(message, first, start):
        return True
    clause_start, clause_end = message.clause(start)
    for number in (message.segment_of[start] - 1, message.segment_of[end - 1] + 1):
        if 0 <= number < len(message.segments):
            a, b = message.segments[number]
            if (
                clause_start <= a
                and b <= clause_end
                and b - a <= SHORT_SEGMENT
                and message.has_in("scope", a, min(a + 2, b))
            ):
                return True
    return False


def _has_occasion(message: Message, start: int, end: int) -> bool:
    """To my sister's wedding, on first dates: a small word of place or time and, close behind, an occasion."""
    for leading in message.list_in("scope_opener", start, end):
        for category in ("occasion", "event", "month"):
            if message.has_in(category, leading.end, min(end, leading.end + OCCASION_REACH)):
                return True
    return False
