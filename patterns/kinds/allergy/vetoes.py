"""Reasons why an allergy word or a reaction is not an allergy of the writer."""

from __future__ import annotations

from patterns.kinds.allergy.allergens import CATEGORIES, MAX_LEAD, is_denied_after
from patterns.kinds.allergy.reactions import list_ifs
from patterns.statements.persons import find_subject
from patterns.statements.strangers import names_thing_before
from patterns.statements.trades import is_told_of_work
from patterns.statements.unknown import has_strange_beside, has_strange_in, has_vocabulary, is_nobodys, is_strange
from patterns.statements.vetoes import find_statement_veto, is_negated
from patterns.steps.draft import Fired
from patterns.steps.message import Message
from patterns.steps.values import (
    ValueList,
)

_JOINING = ("conj", "self", "article", "toward")
DIAGNOSIS_REACH = 3  # words between the doctor and what the doctor found
BEGUN_REACH = 5  # words between "diagnosed" or "became" and the allergy


def find_allergy_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    """Why what an allergy word reaches is no allergy of the writer; None when nothing speaks against it."""
    start, end = min(fired.start, values.start), max(fired.end, values.end)
    if message.clause_of[values.start] != message.clause_of[fired.start] or _points_back(message, fired, values):
        start, end = fired.start, fired.end
    reason = _find_statement_veto(message, fired, values, (start, end))
    reason = reason or (_find_noun_veto(message, fired, values, (start, end)) if fired.rule.kind == "noun" else None)
    reason = reason or _find_cause_veto(message, fired, values, (start, end))
    if reason is not None or _adds_joke(message, values):
        return reason or "sarcasm"
    is_named = fired.rule.kind == "noun" or values.end == fired.start  # "wool rash"
    if is_named and is_told_of_work(message, start):
        return "at_work"
    if fired.rule.kind == "only":
        return _find_only_veto(message, fired, values)
    return _find_denial_veto(message, fired, values, (start, end))


def _find_statement_veto(message: Message, fired: Fired, values: ValueList, span: tuple[int, int]) -> str | None:
    """The clause: asked, supposed, told by another, said of things in general."""
    start, end = span
    if _is_in_decoy(message, fired):
        return "decoy"
    exposures: tuple[int, ...] = ()
    if fired.rule.kind == "linked":
        exposures = tuple(match.start for match in list_ifs(message, fired, values))
    is_named = fired.rule.kind == "noun" and values.end == fired.start  # "if I have a silk allergy" supposes it
    veto = find_statement_veto(message, start, end, is_reaction=not is_named, exposures=exposures)
    if veto is None and start != fired.start and not exposures:
        veto = find_statement_veto(message, fired.start, fired.end, is_reaction=True)
    if veto is not None and not (veto == "past" and fired.rule.kind == "noun" and _is_dated(message, start, end)):
        return veto
    return "general" if message.has_in("general_claim", start, message.segment(end - 1)[1]) else None


def _find_noun_veto(message: Message, fired: Fired, values: ValueList, span: tuple[int, int]) -> str | None:
    """What a named allergy is of: a thing, prices, a wish, a remedy."""
    start, end = span
    if _is_of_thing(message, fired, end) or _is_asked_about(message, end):
        return "general"
    if names_thing_before(message, start):
        return "other_subject"
    if _is_to_be_removed(message, start, end):
        return "denied"
    if message.at(values.end, "compound_head") is not None:
        return "not_in_vocabulary"  # "allergic to cashmere prices"
    if _is_wanted(message, fired, values):
        return "wanted"
    if has_vocabulary(fired.rule) and is_nobodys(message, start, end):
        return "not_understood"
    return "general" if _is_treated(message, start, end) else None


def _find_cause_veto(message: Message, fired: Fired, values: ValueList, span: tuple[int, int]) -> str | None:
    """What brings it about, and whether anything says that it is a reaction."""
    start, end = span
    kind = fired.rule.kind
    if kind != "noun" and has_vocabulary(fired.rule) and _is_not_understood(message, fired, start, end):
        return "not_understood"
    if kind == "reaction" and fired.rule.language == "en" and _is_of_unknown(message, start):
        return "not_understood"
    if kind == "intolerance" and not _has_allergy(message):
        return "no_allergy_word"
    if _is_cleft(message, values):
        return "negated"
    if kind == "linked" and _is_wondered_at(message, fired):
        return "question"
    if _is_of_another_cause(message, fired, values):
        return "no_reaction"
    if kind == "intolerance" and fired.rule.object_side != "after" and _is_another_ones(message):
        return "other_subject"
    if kind == "exposure" and not _is_reacted_to(message, values.end):
        return "no_reaction"
    return None


def _find_denial_veto(message: Message, fired: Fired, values: ValueList, span: tuple[int, int]) -> str | None:
    """What denies or excepts it, and whose it is."""
    start, end = span
    kind = fired.rule.kind
    if kind == "contrast" and not (_follows_denial(message, fired) and _ends_there(message, values.end)):
        return "no_contrast"
    if is_negated(message, fired.start) or is_denied_after(message, end):
        return "negated"
    if kind == "noun" and values.end == fired.start and is_negated(message, values.start):
        return "negated"
    if kind in ("noun", "reaction") and _is_not_caused(message, start):
        return "negated"
    if fired.start < values.start and message.has_in("denial", fired.end, values.start):
        return "negated"
    clause = message.clause(start)
    is_doubly_negated = message.has_in("double_negation", *clause) and not message.has_in("whenever", *clause)
    first = max(clause[0], message.segment(start)[0] - 2)  # "everything but cotton": the "but" opens a segment
    reasons = message.grammar.because_words | message.grammar.as_word
    first = max((i for i in range(first, start) if message.tokens[i].text in reasons), default=first)
    if message.has_in("exception", first, message.segment(start)[1]) or is_doubly_negated:
        return "exception"
    if kind == "noun" and _is_excepted(message, end):
        return "exception"
    return "other_subject" if kind != "own" and _is_about_other(message, fired, values) else None


def _is_excepted(message: Message, end: int) -> bool:
    """Аллергия на металл, кроме золота: the next segment takes one of them out."""
    place = message.segment(end - 1)[1]
    place += place < len(message.tokens) and message.tokens[place].text == ","
    if place >= message.clause(end - 1)[1]:
        return False
    out = message.at(place, "exception")
    return out is not None and any(message.at(out.end, name) is not None for name in CATEGORIES)


def _is_not_caused(message: Message, start: int) -> bool:
    """Ma ysawwi li el polyester 7asasiya: a "not" right before what brings it, further off than others reach."""
    for negator in message.list_in("negator", message.segment(start)[0], start):
        if negator.end < start and message.tokens[negator.end].text.startswith(message.grammar.causing):
            return True
    return False


def _is_of_thing(message: Message, fired: Fired, end: int) -> bool:
    """A nickel allergy test, тест на аллергию: what is about the allergy, and not the allergy."""
    is_about = fired.start > 1 and message.tokens[fired.start - 1].text in message.grammar.what_about
    is_before = is_about and message.ends_with(fired.start - 1, "allergy_thing")
    return is_before or message.at(end, "allergy_thing") is not None


def _is_asked_about(message: Message, end: int) -> bool:
    """Аллергия на никель — это лечится? With no "I" in it the clause asks what such an allergy is."""
    first, last = message.clause(end - 1)
    if message.tokens[last - 1].text != "?" or message.has_in("self", first, last):
        return False
    begin = message.segment(end - 1)[1]
    begin += begin < last and message.tokens[begin].kind == "mark"
    return begin < last and message.tokens[begin].text in message.grammar.asked_of


def _is_not_understood(message: Message, fired: Fired, start: int, end: int) -> bool:
    if fired.rule.kind == "noun":
        return is_nobodys(message, start, end)
    if fired.rule.category == "be_word" and has_strange_beside(message, start, end):
        return True  # "у малыша сыпь, а я в шерсти хожу"
    return fired.rule.kind == "reaction" and has_strange_in(message, start, end)  # "мех лезет, чихаю"


def _is_dated(message: Message, start: int, end: int) -> bool:
    """Formaldehyde allergy confirmed last month: what is past is when it was found out."""
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    found = message.find_in("diagnosis", end, min(last, end + DIAGNOSIS_REACH))
    grammar, before = message.grammar, max(first, start - BEGUN_REACH)
    is_begun = any(token.text in grammar.begun for token in message.tokens[before:start])
    if found is None and not is_begun and not message.has_in("diagnosis", before, start):
        return False  # "diagnosed with a wool allergy last month"
    return all(
        message.tokens[past.end - 1].text in grammar.ago_word
        or message.tokens[past.start].text in grammar.past_days
        or message.at(past.end, "diagnosis") is not None  # "was diagnosed"
        for past in message.list_in("past", first, last)
    )


def _adds_joke(message: Message, values: ValueList) -> bool:
    """Allergic to polyester, Mondays and my boss: a day of the week or of work goes on with the list and ends it."""
    last, place = message.clause(values.end - 1)[1], values.end
    while place < last and (message.tokens[place].text == "," or any(message.at(place, n) for n in _JOINING)):
        place += 1
    added = message.at(place, "weekday") or message.at(place, "work")
    if place == values.end and (added is None or not added.has_and):
        return False
    if added is not None and len(values.items) > 1 and message.at(added.start, "pronoun"):
        return False  # "silk and nickel, الاثنين": the Arabic Monday is "the two" as well
    is_all = message.has_only((*_JOINING, "weekday", "work", "relation"), place, last)
    return added is not None and place < last and is_all


def _is_to_be_removed(message: Message, start: int, end: int) -> bool:
    """Delete my wool allergy from the profile: the allergy as a whole is the object of a verb of removing."""
    first = message.segment(start)[0]
    if message.segment(end - 1)[0] != first or message.has_in("negator", first, start):
        return False
    lead = range(max(first, start - BEGUN_REACH), start)
    return any(message.tokens[index].text in message.grammar.removing for index in lead)


def _is_treated(message: Message, start: int, end: int) -> bool:
    """كريم لعلاج الحساسية: a remedy for it, and nobody who has it."""
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    return message.has_in("relief", first, start) and not message.has_in("self", first, last)


def _is_of_unknown(message: Message, start: int) -> bool:
    """Dogs get itchy from wool: a word that nobody knows opens the segment, and no "I" stands in the clause."""
    first = message.segment(start)[0]
    is_unknown = is_strange(message, first) or message.at(first, "other_value") is not None
    return first < start and is_unknown and not message.has_in("self", *message.clause(start))


def _points_back(message: Message, fired: Fired, values: ValueList) -> bool:
    """Вискоза вроде безобидная, а я от неё чешусь: a pronoun of the statement leads to what a remark before named."""
    first, last = message.segment(fired.start)
    return values.end <= first and message.has_in("pronoun", first, last)


def _is_wanted(message: Message, fired: Fired, values: ValueList) -> bool:
    """I want silk, the allergy is no matter: what is asked for in a segment of its own brings nothing."""
    first = message.segment(values.start)[0]
    last = message.clause(values.start)[1]
    if values.end > fired.start or message.segment(fired.start)[0] == first or message.tokens[last - 1].text == "?":
        return False
    wants = [m for name in ("request", "fondness") for m in message.list_in(name, first, values.start)]
    wants = [m for m in wants if not is_negated(message, m.start)]  # "never suggest silk: I'm allergic to it"
    return any(message.at(m.start, "affirmation") is None for m in wants)  # "есть" asks for nothing


def _is_in_decoy(message: Message, fired: Fired) -> bool:
    """A rash guard is no rash."""
    idioms = [m for m in message.list_in("decoy", 0, fired.start + 1) if m.canonical == "idiom"]
    return any(m.start <= fired.start < m.end for m in idioms)


def _is_wondered_at(message: Message, fired: Fired) -> bool:
    """Пальцы чернеют от серебра, это подделка? With no "I" in it the clause asks about what it tells."""
    clause = message.clause(fired.start)
    match = message.at(fired.start, "body_reaction")
    is_bare = match is not None and match.canonical in ("verb", "skin_verb")
    return is_bare and message.tokens[clause[1] - 1].text == "?" and not message.has_in("self", *clause)


def _is_of_another_cause(message: Message, fired: Fired, values: ValueList) -> bool:
    """От ценников на кашемир чешусь: what brings it is the word that nobody knows between the "from" and the "for"."""
    first = message.segment(values.start)[0]
    if fired.rule.kind not in ("reaction", "linked") or fired.rule.language == "en" or values.start - 3 < first:
        return False
    words = [token.text for token in message.tokens[values.start - 3 : values.start]]
    is_between = words[0] in message.grammar.caused_by and words[2] in message.grammar.what_about
    return is_between and has_strange_in(message, values.start - 2, values.start - 1)


def _is_cleft(message: Message, values: ValueList) -> bool:
    """It isn't the wool that makes me itch."""
    first = max(message.segment(values.start)[0], values.start - 2)
    denied = any(token.text in message.grammar.not_it for token in message.tokens[first : values.start])
    follows = message.tokens[values.end].text if values.end < len(message.tokens) else ""
    return denied and follows in message.grammar.it_that


def _has_allergy(message: Message) -> bool:
    """Whether the message speaks of an allergy or reaction that it does not deny."""
    known: bool | None = message.cache.get("has_allergy")
    if known is None:
        words = message.marks.get("allergy_word", ())
        known = message.cache["has_allergy"] = any(not is_negated(message, word.start) for word in words)
    return known


def _is_another_ones(message: Message) -> bool:
    """We keep away from wool, my daughter has an allergy: nobody but another has one."""
    words = message.marks.get("allergy_word", ())
    return all(find_subject(message, word.start, word.end) == "other" for word in words)


def _find_only_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    """No allergies except nickel: the allergy is denied right before, in one clause, and nothing else follows."""
    first, last = message.clause(fired.start)
    following = message.find_in("allergy_word", values.end, min(last, values.end + MAX_LEAD))
    if following is not None and (is_negated(message, following.start) or _has_denial(message, following.end, last)):
        is_others = find_subject(message, fired.start, following.end) == "other"
        return "other_subject" if is_others else None  # "apart from nickel I have no allergies"
    allergy = message.find_last_in("allergy_word", first, fired.start)
    if allergy is None or fired.start - allergy.end > MAX_LEAD or not _ends_there(message, values.end):
        return "no_allergy_word"
    is_denied = is_negated(message, allergy.start) or _has_denial(message, allergy.end, fired.start)
    if not is_denied:
        return "not_denied"
    return "other_subject" if find_subject(message, allergy.start, allergy.end) == "other" else None


def _has_denial(message: Message, start: int, end: int) -> bool:
    return any(message.has_in(category, start, end) for category in ("denial", "negator"))


def _is_reacted_to(message: Message, end: int) -> bool:
    """Whenever I wear wool I get hives: the user's own reaction follows in the clause."""
    last = message.clause(end - 1)[1]
    reaction = message.find_in("allergy_word", end, last)
    if reaction is None or reaction.start == end or is_negated(message, reaction.start, reach=4):
        return False  # "if I have a silk allergy" says no more than if
    if message.has_in("question", end, reaction.start):
        return False
    return find_subject(message, reaction.start, reaction.end) != "other"


def _follows_denial(message: Message, fired: Fired) -> bool:
    """Not to wool, but to mohair: what is contrasted is denied in the segment before."""
    number = message.segment_of[fired.start] - 1
    if number < 0 or message.segments[number][0] < message.clause(fired.start)[0]:
        return False
    segment = message.segments[number]
    is_denied = message.has_in("negator", *segment) or message.has_in("denial", *segment)
    return is_denied and bool(message.marks.get("allergy_word"))


def _ends_there(message: Message, end: int) -> bool:
    """Nothing but small words after the values in their segment: "but to wool prices I object" names no allergen."""
    small = (
        "filler", "affirmation", "decoy", "polite", "please", "laugh", "oath", "lasting", "allergy_word", "generic",
        "pronoun", "order_tag",
    )  # fmt: skip
    return message.has_only(small, end, message.segment(end - 1)[1])


def _is_about_other(message: Message, fired: Fired, values: ValueList) -> bool:
    """The nearest person decides, looked for before the trigger and before the object."""
    if fired.rule.kind == "reaction" and message.has_in("self", fired.start + 1, fired.end):
        return False  # "my neighbour is fine but mohair makes me swell up"
    first_place = min(fired.start, values.start)
    subject = find_subject(message, first_place, max(fired.end, values.end))
    if values.start < fired.start:
        between = find_subject(message, fired.start, fired.end)
        if between is not None and _has_person_between(message, values.end, fired.start):
            subject = between
    return subject == "other"


def _has_person_between(message: Message, start: int, end: int) -> bool:
    people = [m for name in ("self", "relation", "other") for m in message.list_in(name, start, end)]
    return any(m.start not in message.consumed for m in people)
