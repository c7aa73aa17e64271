"""What is never to be offered (GUIDE hard_ban; ENGINE steps 7 to 9)."""

from __future__ import annotations

from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message
from patterns.steps.values import ValueList, read_values_after, read_values_before
from patterns.steps.vetoes import find_statement_veto, find_subject, is_negated

GENERAL = ("fabric", "material", "cut", "garment", "pattern")
ANY = (*GENERAL, "colour", "brand")
CATEGORIES = {"explicit": ANY, "habit": ANY, "want": GENERAL, "habit_bare": ANY, "lasting": ANY, "like": GENERAL}
ONE_ITEM = frozenset(("fabric", "material", "colour", "brand"))  # "no leather jackets" does not ban leather
SHORT_SEGMENT = 5


def read_bans(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Every value that a ban, a habit or a general "don't want" reaches and nothing limits to a day, place or item."""
    for trigger in fired:
        if not findings.taken.isdisjoint(range(trigger.start, trigger.end)):
            findings.refuse(trigger, "taken_by_budget")
            continue
        values = _find_values(message, trigger)
        if not values.items:
            findings.refuse(trigger, values.reason)
            continue
        reason = _find_veto(message, trigger, values)
        if reason is not None:
            findings.refuse(trigger, reason)
            continue
        for item in values.items:
            start, end = min(trigger.start, item.start), max(trigger.end, item.end)
            findings.drafts.append(Draft("hard_ban", item.canonical, item.canonical, start, end, trigger.rule))


def _find_values(message: Message, fired: Fired) -> ValueList:
    categories = CATEGORIES.get(fired.rule.kind, GENERAL)
    side, language = fired.rule.object_side, fired.rule.language
    found = ValueList((), "not_in_vocabulary")
    if side in ("after", "both") and fired.end < len(message.tokens):
        found = read_values_after(message, fired.end, categories=categories, language=language, items_refuse=ONE_ITEM)
    if found.items or (side == "after" and found.reason != "pronoun"):
        return found
    if found.reason == "one_item":
        return found
    crossed = ",-:=" if found.reason == "pronoun" else "-:="
    before = read_values_before(message, fired.start, categories=categories, language=language, crossed=crossed)
    return before if before.items else found


def _find_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    kind = fired.rule.kind
    start, end = min(fired.start, values.start), max(fired.end, values.end)
    if kind == "like":
        return "like"
    veto = find_statement_veto(message, fired.start, fired.end) or find_statement_veto(message, start, end)
    if veto is not None and not (veto == "question" and kind == "explicit" and _is_polite_order(message, fired)):
        return veto
    clause = message.clause(start)
    if kind == "explicit" and is_negated(message, fired.start, reach=1):
        return "double_negation"
    if message.has_in("double_negation", *clause):
        return "double_negation"
    if message.has_in("exception", message.segment(start)[0], message.segment(end - 1)[1]) or _is_excepted(
        message, end
    ):
        return "exception"
    if message.has_in("softener", message.segment(start)[0], message.segment(end - 1)[1]):
        return "softener"
    if is_scoped(message, start, end):
        return "scope"
    if kind == "lasting" and not message.marks.get("lasting"):
        return "not_lasting"
    if kind == "lasting" and is_negated(message, fired.start, reach=5):  # "could never live without leather"
        return "double_negation"
    return _find_subject_veto(message, fired, values)


def _is_polite_order(message: Message, fired: Fired) -> bool:
    """ "Could you stop showing me heels?" orders, whatever its mark."""
    return any(match.category == "polite_opener" for match in message.ends[fired.start])


def _find_subject_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    """An order may name for whom; a bare habit or "no X ever" belongs to the nearest person."""
    kind = fired.rule.kind
    start, end = min(fired.start, values.start), max(fired.end, values.end)
    if kind == "explicit" and _person_in(message, fired.end, max(values.start, fired.end + 2)):
        return "other_subject"
    if kind == "explicit" and message.has_in("relation", fired.end, message.segment(end - 1)[1]):
        return "other_subject"
    if kind in ("lasting", "habit_bare") and find_subject(message, start, end) == "other":
        return "other_subject"
    return None


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
    if message.has_in("scope", first, last) or message.has_in("weekday", first, last):
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
