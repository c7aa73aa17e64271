"""Allergies to what touches the skin."""

from __future__ import annotations

from patterns.kinds.allergy.allergens import CATEGORIES, find_allergens
from patterns.kinds.allergy.vetoes import find_allergy_veto
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.likewise import list_likewise
from patterns.statements.mended import read_mended
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message
from patterns.steps.values import (
    ValueList,
    list_in_next_clause,
)

DIAGNOSIS_REACH = 3  # words between the doctor and what the doctor found
_LISTED = ("self", "conj", "material", "garment", "pattern", "cut", "colour")


def read_allergies(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Every allergen that an allergy word or a bodily reaction of the user reaches."""
    if fired:
        _consume_doctors(message)
    for trigger in sorted(fired, key=lambda f: f.rule.kind in ("intolerance", "linked")):
        _consume_object(message, trigger)
        values = find_allergens(message, trigger)
        values = read_mended(message, values, categories=CATEGORIES, language=trigger.rule.language)
        values = _drop_refused(message, trigger, values)
        if not values.items:
            findings.refuse(trigger, values.reason)
            continue
        reason = find_allergy_veto(message, trigger, values)
        if reason is None and trigger.rule.kind == "intolerance" and _names_its_own(message, findings, trigger):
            reason = "allergy_names_its_own"
        if reason is not None:
            findings.refuse(trigger, reason)
            continue
        more = _list_more(message, trigger, max(trigger.end, values.end))
        for item in (*values.items, *more, *_list_not_just(message, values)):
            if item.start > values.start and _is_borne(message, item):
                continue
            start, end = min(trigger.start, item.start), max(trigger.end, item.end)
            findings.named_allergens.add(item.start)
            findings.drafts.append(Draft("allergy", item.canonical, item.canonical, start, end, trigger.rule))


def _is_borne(message: Message, item: LexiconMatch) -> bool:
    """A rash from nickel, silver ok; от серебра ничего: what is added is fine."""
    if item.end >= message.clause(item.start)[1]:
        return False
    return message.at(item.end, "approval") is not None or message.tokens[item.end].text in message.grammar.does_nothing


def _drop_refused(message: Message, fired: Fired, values: ValueList) -> ValueList:
    """Allergic to nickel, leather I never wear: what is refused in a segment of its own is no allergen."""
    if len(values.items) < 2 or fired.rule.kind != "noun" or values.start < fired.end:
        return values
    first = message.segment(values.items[-1].start)[0]
    place, refusing = values.end, message.grammar.refusing
    while place < len(message.tokens) and message.tokens[place].text not in refusing:
        if not any(message.at(place, name) for name in _LISTED):
            break
        place += 1
    is_refused = place < len(message.tokens) and message.tokens[place].text in refusing
    is_told = is_refused and any(start <= place < end - 1 for start, end in message.triggered)
    if not is_told or first <= fired.start or message.tokens[fired.end].text == ":":
        return values
    kept = tuple(item for item in values.items if item.start < first)
    return ValueList(kept) if kept else values


def _list_more(message: Message, fired: Fired, end: int) -> tuple[LexiconMatch, ...]:
    """Wool makes me itch. And mohair. / Silk brings me out in hives and so does viscose."""
    language = fired.rule.language
    more = list_in_next_clause(message, end, categories=CATEGORIES, language=language)
    return more or list_likewise(message, end, categories=CATEGORIES, language=language)


def _consume_object(message: Message, fired: Fired) -> None:
    """Шерсть нельзя, аллергия на неё: what the allergy is to is nobody."""
    pronoun = message.at(fired.end, "pronoun")
    if pronoun is None or fired.end <= fired.start + 1:
        return
    if message.tokens[fired.end - 1].text in message.grammar.allergic_to:
        message.consumed.update(range(pronoun.start, pronoun.end))


def _list_not_just(message: Message, values: ValueList) -> tuple[LexiconMatch, ...]:
    """Not just wool, cashmere gives me hives too: the segment before names what is not the only one."""
    number = message.segment_of[values.start] - 1
    if number < 0 or message.segments[number][0] < message.clause(values.start)[0]:
        return ()
    first, last = message.segments[number]
    only = message.at(first, "not_just")
    return tuple(m for name in CATEGORIES for m in message.list_in(name, first, last)) if only is not None else ()


def _names_its_own(message: Message, findings: Findings, fired: Fired) -> bool:
    """No wool, I'm allergic to nickel: the allergy of the clause is to what it names, not to what is unwanted."""
    if _is_spoken_for(message, findings) and not message.has_in("allergy_word", *message.clause(fired.start)):
        return True
    clause = message.clause_of[fired.start]
    return any(
        d.knowledge_type == "allergy" and d.rule.kind == "noun" and message.clause_of[d.start] == clause
        for d in findings.drafts
    )


def _consume_doctors(message: Message) -> None:
    """The doctor confirmed an allergy: who found it out is not who has it."""
    for doctor in message.marks.get("doctor", ()):
        found = message.has_in("diagnosis", doctor.end, min(doctor.end + DIAGNOSIS_REACH, len(message.tokens)))
        if found or _is_found_by(message, doctor):
            message.consumed.update(range(doctor.start, doctor.end))


def _is_found_by(message: Message, doctor: LexiconMatch) -> bool:
    """Confirmed by my doctor: the passive, with at most one small word between."""
    found = message.find_last_in("diagnosis", max(0, doctor.start - DIAGNOSIS_REACH), doctor.start)
    return found is not None and found.canonical == "by" and found.end >= doctor.start - 1


def _is_spoken_for(message: Message, findings: Findings) -> bool:
    """Latex gives me blisters. Leather I don't wear: every word of allergy belongs to an allergen of its own."""
    words = message.marks.get("allergy_word", ())
    drafts = [d for d in findings.drafts if d.knowledge_type == "allergy" and d.rule.kind != "intolerance"]
    return bool(words) and all(any(d.start <= w.start < d.end for d in drafts) for w in words)
