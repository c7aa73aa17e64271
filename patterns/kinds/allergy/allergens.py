"""Which allergens an allergy word or a reaction reaches: beside it, behind an aside, in the remark before or after."""

from __future__ import annotations

from patterns.kinds.allergy.reactions import read_linked, read_refused
from patterns.steps.draft import Fired
from patterns.steps.message import Message
from patterns.steps.values import ValueList, list_in_clauses_before, read_values_after
from patterns.steps.values_before import read_topic, read_values_before

CATEGORIES = ("fabric", "irritant")
_ASIDE = ("oath", "filler", "decoy", "affirmation")
MAX_BLAMED = 6  # tokens of "it's the nickel"
MAX_ASIDE = 7  # words between "allergic" and the "to" that goes on with it
_ADDED = ("allergy_word", "affirmation", "lasting", "filler", "oath", "laugh", "please", "conj", *CATEGORIES)
_MEANT = ("filler", "article", "thing", "generic", "pronoun", "oath", "garment_word")
NONE = ValueList((), "not_in_vocabulary")
MAX_LEAD = 4  # words before a bare "allergic" that answers a question


def find_allergens(message: Message, fired: Fired) -> ValueList:
    """The allergens that a word of allergy or a reaction of the body reaches, or why it reaches none. Pure."""
    found = ValueList((), "not_in_vocabulary")
    if fired.rule.kind != "linked":
        found = _find_beside(message, fired)
    if found.items or fired.rule.kind not in ("linked", "reaction", "noun"):
        return found
    if fired.rule.kind == "noun":
        return found if _names_more(message, fired) else read_refused(message, fired)
    if fired.rule.kind == "reaction" and (named := _find_blamed(message, fired)).items:
        return named
    linked = read_linked(message, fired)
    return linked if linked.items else found


def _find_blamed(message: Message, fired: Fired) -> ValueList:
    """Cheap earrings make my ears itch, it's the nickel: the next segment of the clause says nothing but what it is."""
    last, number = message.clause(fired.start)[1], message.segment_of[fired.end - 1] + 1
    if number >= len(message.segments) or message.segments[number][0] >= last:
        return NONE
    first, stop = message.segments[number]
    if message.tokens[first].text not in message.grammar.it_is or stop - first > MAX_BLAMED:
        return NONE
    found = read_values_after(
        message, first + 1, categories=CATEGORIES, language=fired.rule.language, items_refuse=frozenset()
    )
    return found if found.items and message.has_only(("lasting", "oath", "laugh"), found.end, stop) else NONE


def _names_more(message: Message, fired: Fired) -> bool:
    """Allergic to nuts: a preposition leads to something that is no allergen."""
    return _is_preposition(message, fired.end - 1) or (
        fired.end < len(message.tokens) and _is_preposition(message, fired.end)
    )


def _find_beside(message: Message, fired: Fired) -> ValueList:
    side = fired.rule.object_side
    language = fired.rule.language
    found = _find_compound(message, fired) if fired.rule.kind == "noun" else NONE
    if found.items:
        return found
    if fired.rule.kind == "reaction" and side == "both" and message.at(fired.end, "contrast") is not None:
        found = read_values_before(message, fired.start, categories=CATEGORIES, language=language, crossed="-:=")
        if found.items:
            return found  # "el soof y7ikni bas el kashmir 3adi"
    if fired.rule.kind == "reaction" and side == "both" and _goes_on(message, fired.end):
        found = _find_joined(message, fired)
        if found.items:
            return found  # "el soof y7ikni w el qotn mree7"
    if side in ("after", "both") and fired.end < len(message.tokens):
        found = read_values_after(
            message, fired.end, categories=CATEGORIES, language=language, items_refuse=frozenset(),
            breaks=("self", "negator"),
        )  # fmt: skip
    is_reaction = fired.rule.kind == "reaction"
    if found.items and is_reaction and message.tokens[found.start].text in message.grammar.what_reacts:
        found = NONE
    if not found.items and fired.rule.kind == "noun":
        found = _find_behind_comma(message, fired)
    if (found.items and not is_denied_after(message, found.end)) or side not in ("before", "both"):
        return found
    crossed = ",-:=(" if fired.rule.kind == "noun" or fired.rule.object_side == "before" else "-:="
    before = read_values_before(message, fired.start, categories=CATEGORIES, language=language, crossed=crossed)
    points_back = is_reaction and (message.ends_with(fired.start, "pronoun") or _is_they(message, fired))
    points_back = points_back and not _is_cleft_off(message, fired)
    if not before.items and (fired.rule.kind == "noun" or points_back):
        before = _resolve_pronoun(message, fired)
    if not before.items and not found.items and fired.rule.kind == "noun":
        before = _find_in_next_clause(message, fired)
    return before if before.items else found


def _goes_on(message: Message, index: int) -> bool:
    """An "and" right behind, also one that is written together with an allergen."""
    if index >= len(message.tokens):
        return False
    known = message.starts[index]
    return "conj" in known or any(known[name].has_and for name in CATEGORIES if name in known)


def _find_joined(message: Message, fired: Fired) -> ValueList:
    """Wool makes me itch and silk is heaven: what stands before; behind the "and" only what says nothing else."""
    language = fired.rule.language
    named = read_values_before(message, fired.start, categories=CATEGORIES, language=language, crossed="-:=")
    if not named.items:
        return NONE
    conj = message.at(fired.end, "conj")
    place = conj.end if conj is not None else fired.end
    if place >= message.clause(fired.start)[1] or not any(name in CATEGORIES for name in message.starts[place]):
        return named
    added = read_values_after(
        message, place, categories=CATEGORIES, language=language, items_refuse=frozenset(), breaks=("self", "negator")
    )
    last = message.segment(added.end - 1)[1] if added.items else place
    is_list = bool(added.items) and message.has_only(_ADDED, added.end, last)
    is_list = is_list and not message.has_in("negator", added.end, last)  # "w el qotn la"
    return ValueList((*named.items, *added.items)) if is_list else named


def _find_compound(message: Message, fired: Fired) -> ValueList:
    """A silk allergy and wool too: what stands right before the word; behind an "and" only what says nothing else."""
    is_joined = any(match.category in CATEGORIES for match in message.ends[fired.start])
    last = message.clause(fired.start)[1]
    if not is_joined or fired.end >= last or message.tokens[fired.end].kind != "word":
        return NONE
    if _is_preposition(message, fired.end - 1) or _is_preposition(message, fired.end):
        return NONE
    language, conj = fired.rule.language, message.at(fired.end, "conj")
    named = read_values_before(message, fired.start, categories=CATEGORIES, language=language)
    place = conj.end if conj is not None else fired.end
    place += place < last and message.tokens[place].text in message.grammar.also_to
    if conj is None or place >= last or not any(name in CATEGORIES for name in message.starts[place]):
        return named
    added = read_values_after(
        message, place, categories=CATEGORIES, language=language, items_refuse=frozenset(), breaks=("self", "negator")
    )
    is_list = bool(added.items) and message.has_only(_ADDED, added.end, message.segment(added.end - 1)[1])
    return ValueList((*named.items, *added.items)) if is_list else named


def _find_behind_comma(message: Message, fired: Fired) -> ValueList:
    """Yes, I'm allergic, to nickel: the preposition behind the comma goes on with the word."""
    last, place = message.clause(fired.start)[1], fired.end
    while place < min(last - 1, fired.end + MAX_ASIDE):
        if message.tokens[place].text in ",-" and _is_preposition(message, place + 1):
            return read_values_after(
                message, place + 2, categories=CATEGORIES, language=fired.rule.language, items_refuse=frozenset(),
                breaks=("self", "negator"),
            )  # fmt: skip
        if message.tokens[place].text == "," and any(message.at(place + 1, name) for name in CATEGORIES):
            found = read_values_after(
                message, place + 1, categories=CATEGORIES, language=fired.rule.language, items_refuse=frozenset()
            )
            is_all = bool(found.items) and message.has_only(("oath", "please", "laugh"), found.end, last)
            return found if is_all else ValueList((), "says_more")
        if message.tokens[place].text in ":,":
            place += 1
            continue
        known = ("self", "affirmation", "filler", "oath", "decoy")
        small = [m.end for name in known if (m := message.at(place, name))]
        if not small:
            break
        place = max(small)
    return ValueList((), "not_in_vocabulary")


def _is_preposition(message: Message, index: int) -> bool:
    link = message.at(index, "reaction_link")
    return link is not None and link.end == index + 1 and link.canonical in ("source", "reason")


def _find_in_next_clause(message: Message, fired: Fired) -> ValueList:
    """Allergy. To nickel. What follows the full stop names nothing but allergens."""
    last = message.clause(fired.start)[1]
    small = ("self", "filler", "reaction_link", "affirmation")
    if last >= len(message.tokens) or not message.has_only(small, fired.end, last):
        return ValueList((), "not_in_vocabulary")
    first, stop = message.clause(last)
    is_asked = message.tokens[last - 1].text == "?" or message.tokens[stop - 1].text == "?"
    is_named = any(name in CATEGORIES for name in message.starts[first])  # "Аллергия. Вискоза, нейлон."
    if is_asked or not (is_named or _is_preposition(message, first)):
        return ValueList((), "not_in_vocabulary")
    place = first if is_named else first + 1
    found = read_values_after(
        message, place, categories=CATEGORIES, language=fired.rule.language, items_refuse=frozenset()
    )
    if not found.items or not message.has_only(("lasting", "oath"), found.end, stop):
        return ValueList((), "says_more")
    return found


def _is_cleft_off(message: Message, fired: Fired) -> bool:
    """Wool is fine, it's the price that makes me itch: the "that" leads to what stands before it and is no allergen."""
    first, that = message.segment(fired.start)[0], fired.start - 1
    if that <= first or message.tokens[first].text not in message.grammar.it_is:
        return False
    if any(message.has_in(name, first, that) for name in CATEGORIES):
        return False  # "it's the dye in black tights that makes my legs itch"
    return message.tokens[that].text in message.grammar.it_that and not message.has_only(_MEANT, first + 1, that)


def _is_they(message: Message, fired: Fired) -> bool:
    """Mohair jumpers are out, they make me itch: no person is named whom "they" could mean."""
    place = fired.start - 1
    if place < 0 or message.segment(place)[0] != place:
        return False
    if message.tokens[place].text not in message.grammar.they_word:
        return False
    people = [m for name in ("relation", "other") for m in message.list_in(name, 0, place)]
    if people:
        return False
    message.consumed.add(place)
    return True


def _resolve_pronoun(message: Message, fired: Fired) -> ValueList:
    """Nylon kills me, I'm allergic to it: the pronoun stands for the last allergen named before it."""
    place = fired.end
    while place < len(message.tokens) and message.at(place, "filler") and not message.at(place, "pronoun"):
        place = message.starts[place]["filler"].end
    pronoun = message.at(place, "pronoun") if place < len(message.tokens) else None
    pronoun = pronoun or message.find_last_in(
        "pronoun", max(message.clause(fired.start)[0], fired.start - 4), fired.start
    )
    if pronoun is None:
        return _find_topic(message, fired)
    clause = message.clause_of[fired.start]
    first = message.normal.clauses[max(0, clause - 1)][0]
    found = [m for c in CATEGORIES for m in message.list_in(c, first, fired.start)]
    if not found:
        return ValueList((), "pronoun")
    message.consumed.update(range(pronoun.start, pronoun.end))
    last = max(found, key=lambda m: m.end)
    values = read_values_before(message, last.end, categories=CATEGORIES, language=fired.rule.language)
    named = message.clause_of[last.start]
    if not values.items or values.start != message.normal.clauses[named][0] or named == clause:
        return values
    return ValueList((*list_in_clauses_before(message, named, categories=CATEGORIES), *values.items))


def _find_topic(message: Message, fired: Fired) -> ValueList:
    """Wool? Allergic. / Does this have nickel? I'm allergic. The question before names nothing but the allergen."""
    first, last = message.clause(fired.start)
    if not message.has_only(("self", "oath", "laugh", "lasting"), fired.end, last):
        return ValueList((), "not_in_vocabulary")
    if message.segment(fired.start)[0] > first and message.segment_of[fired.start]:
        found = _find_in_segment_before(message, fired)
        if found.items:
            return found
    if fired.start - first > MAX_LEAD:
        return ValueList((), "not_in_vocabulary")
    return read_topic(message, fired.start, categories=CATEGORIES, language=fired.rule.language)


def _find_in_segment_before(message: Message, fired: Fired) -> ValueList:
    """It's the nickel, known allergy of mine: the last allergens of the segment before, where it praises nothing."""
    number = message.segment_of[fired.start] - 1
    first, last = message.segments[number]
    named = [match for name in CATEGORIES for match in message.list_in(name, first, last)]
    if not named and number > 0 and message.segments[number - 1][0] >= message.clause(fired.start)[0]:
        first = message.segments[number - 1][0]
        named = [match for name in CATEGORIES for match in message.list_in(name, first, last)]
    has_own = any(message.has_in(name, last, fired.start) for name in CATEGORIES)
    if not named or has_own or any(message.has_in(name, first, last) for name in ("fondness", "denial", "approval")):
        return ValueList((), "not_in_vocabulary")
    end = max(match.end for match in named)
    return read_values_before(message, end, categories=CATEGORIES, language=fired.rule.language)


def is_denied_after(message: Message, end: int) -> bool:
    """У меня аллергии на шерсть нет: the denial closes the segment."""
    number, last = message.segment_of[end - 1], message.clause(end - 1)[1]
    segment_end = message.segments[number][1]
    if message.has_in("denial", end, segment_end):
        return True
    while segment_end < last and message.has_only(_ASIDE, end, segment_end):
        number, end = number + 1, segment_end
        segment_end = message.segments[number][1]
        if message.at(end, "denial") is not None:
            return message.has_only((*_ASIDE, "denial"), end, segment_end)
    return False
