"""A bodily reaction and what brings it, wherever the two stand: "silk, sadly, gives me hives".

Between them only words of a closed list may stand, and one of them has to tie the two together.
"""

from __future__ import annotations

from dataclasses import dataclass

from patterns.matching.lexicon import LexiconMatch
from patterns.statements.persons import find_subject
from patterns.statements.vetoes import is_negated
from patterns.steps.draft import Fired
from patterns.steps.message import Message
from patterns.steps.values import ValueList, read_values_after
from patterns.steps.values_before import read_values_before

CATEGORIES = ("fabric", "irritant")
MAX_PATH = 12  # words between a reaction and what brings it
SUBJECT_REACH = 5  # "hives on my neck": where the user may stand behind the reaction
IF_REACH = 5  # words between "if" and what is worn
_PASSED = (
    "reaction_link", "skin", "filler", "self", "oath", "exposure", "conj", "pronoun", "lasting", "body_reaction",
    "decoy", "garment_word", "half", "generic", "specific_item",
)  # fmt: skip
_TYING_MARKS = frozenset("=:->→")
_CROSSED_MARKS = frozenset("=:->→,()\"'")
_VERDICTS = ("verdict", "skin_verdict")
_MANNER = 4  # letters that a word of manner has more than
NOTHING = ValueList((), "not_in_vocabulary")


@dataclass(frozen=True, slots=True)
class Path:
    """The words [start, end) between a reaction and an allergen. `is_tied`: something among them ties the two."""

    start: int
    end: int
    is_tied: bool


def read_linked(message: Message, fired: Fired) -> ValueList:
    """The allergens that a reaction of the user's own body is tied to, in front of it or behind."""
    if any(message.at(index, "body_reaction") for index in range(max(0, fired.start - 2), fired.start)):
        return NOTHING  # "break out in hives": the first word of a reaction speaks for it
    _consume_pronoun(message, fired)
    readers = (_read_before, _read_after)
    if fired.end < len(message.tokens) and _is_source(message, fired.end):
        readers = (_read_after, _read_before)  # "I react to mohair" has its cause behind
    for read in readers:
        found, path = read(message, fired)
        if read is _read_before and _has_other_cause(message, fired):
            continue
        if found.items and path.is_tied and _is_own(message, fired, found, path) and not _is_relieved(message, fired):
            return found
    return NOTHING


def _consume_pronoun(message: Message, fired: Fired) -> None:
    """ "I itch from it", "у меня на него реакция": what points back to the cause is nobody."""
    last = min(fired.end + 2, message.clause(fired.start)[1])
    for index in (*range(max(0, fired.start - 2), fired.start), *range(fired.end, last)):
        pronoun = message.at(index, "pronoun")
        if pronoun is not None and any(_is_link(match) for match in message.ends[index]):
            message.consumed.update(range(pronoun.start, pronoun.end))


def _read_before(message: Message, fired: Fired) -> tuple[ValueList, Path]:
    first, _ = message.clause(fired.start)
    index, is_tied = fired.start, _kind_of(message, fired) in _VERDICTS
    while index > first and fired.start - index < MAX_PATH:
        if any(match.category in CATEGORIES for match in message.ends[index]):
            found = read_values_before(message, index, categories=CATEGORIES, language=fired.rule.language)
            is_tied = is_tied or _has_source_word(message, found) or _is_heading(message, found, fired)
            return found, Path(index, fired.start, is_tied)
        step = _step_back(message, index)
        if step is None or _leads_on(message, step, index):
            break
        is_tied = is_tied or _ties(message, step, index) or _points_back(message, step)
        index = step
    if index == first and is_tied and message.tokens[first].text in message.grammar.pointers:
        found = _read_named_before(message, fired)  # "Lanolin. That's the culprit behind my eczema"
        return found, Path(index, fired.start, bool(found.items))
    return NOTHING, Path(index, fired.start, False)


def _read_after(message: Message, fired: Fired) -> tuple[ValueList, Path]:
    _, last = message.clause(fired.start)
    index, is_tied = fired.end, False
    while index < last and index - fired.end < MAX_PATH:
        if any(message.at(index, category) for category in CATEGORIES):
            is_tied = is_tied or (
                _kind_of(message, fired) == "verdict" and "," not in _texts(message, fired.end, index)
            )
            found = read_values_after(
                message, index, categories=CATEGORIES, language=fired.rule.language, items_refuse=frozenset(),
                breaks=("self", "negator"),
            )  # fmt: skip
            return found, Path(fired.end, index, is_tied)
        step = _step_on(message, index)
        if is_tied and message.at(index, "pronoun") is not None:
            found = _read_named_before(message, fired)
            return found, Path(fired.end, index, bool(found.items))
        if step is None or (message.tokens[index].text == "," and not (is_tied or _goes_on(message, index + 1))):
            break
        is_tied = is_tied or _is_source(message, index)
        index = step
    return NOTHING, Path(fired.end, index, False)


def _read_named_before(message: Message, fired: Fired) -> ValueList:
    """It's wool. I come out in hives the minute I put it on: the last allergens of the clause before."""
    number = message.clause_of[fired.start]
    first = message.normal.clauses[max(0, number - 1)][0]
    named = [match for name in CATEGORIES for match in message.list_in(name, first, fired.start)]
    if not named or message.tokens[message.clause(named[-1].start)[1] - 1].text == "?":
        return NOTHING
    last = max(named, key=lambda match: match.end)
    return read_values_before(message, last.end, categories=CATEGORIES, language=fired.rule.language)


def _step_back(message: Message, index: int) -> int | None:
    found = [match for match in message.ends[index] if match.category in _PASSED]
    if any(match.category == "self" and match.has_and for match in found):
        return None  # "وأنا": another statement begins
    if any(_is_link(match) and match.canonical == "stop" for match in found):
        return None
    if found:
        return min(match.start for match in found)
    return index - 1 if _is_small(message, index - 1) else None


def _step_on(message: Message, index: int) -> int | None:
    found = [match for category in _PASSED if (match := message.at(index, category)) is not None]
    if any(_is_link(match) and match.canonical == "stop" for match in found):
        return None
    if found:
        return max(match.end for match in found)
    return index + 1 if _is_small(message, index) else None


def _is_small(message: Message, index: int) -> bool:
    token = message.tokens[index]
    is_manner = len(token.text) > _MANNER and token.text.endswith(message.grammar.manner_endings)
    return token.text in _CROSSED_MARKS or (is_manner and token.script == "latin")


def _has_other_cause(message: Message, fired: Fired) -> bool:
    """In wool it's warm, I itch from mosquitoes: what follows names a cause that is no allergen."""
    last = message.clause(fired.start)[1]
    link = message.at(fired.end, "reaction_link") if fired.end < last else None
    if link is None or link.canonical != "reason" or link.end >= last:
        return False
    known = (
        *CATEGORIES,
        "pronoun",
        "generic",
        "garment_word",
        "half",
        "specific_item",
        "decoy",
        "filler",
        "other_value",
    )
    return not any(message.at(link.end, category) for category in known)


def read_refused(message: Message, fired: Fired) -> ValueList:
    """Wool? No thanks, allergy. / Мохер нет, аллергия: what stands before a bare word of allergy and is turned down."""
    first, _ = message.clause(fired.start)
    index, is_refused = fired.start, False
    while index > first and fired.start - index < MAX_PATH:
        if any(match.category in CATEGORIES for match in message.ends[index]):
            found = read_values_before(message, index, categories=CATEGORIES, language=fired.rule.language)
            return found if is_refused and message.segment(found.start)[0] == found.start else NOTHING
        step = _step_back(message, index)
        small = [m for m in message.ends[index] if m.category in ("negator", "please", "laugh", "denial")]
        step = min([m.start for m in small] + ([step] if step is not None else []), default=None)
        if step is None or _leads_on(message, step, index) or message.at(step, "reaction_verb") is not None:
            break
        link = message.at(step, "reaction_link")
        is_refused = is_refused or any(m.category in ("negator", "denial") for m in small)
        is_refused = is_refused or (link is not None and link.canonical in ("cause", "refused"))
        index = step
    return NOTHING


def _goes_on(message: Message, index: int) -> bool:
    """Чешусь, когда ношу шерсть: behind the comma stands what brings the reaction."""
    link = message.at(index, "reaction_link") if index < len(message.tokens) else None
    return link is not None and link.canonical in ("reason", "when")


def _texts(message: Message, start: int, end: int) -> list[str]:
    return [token.text for token in message.tokens[start:end]]


def _leads_on(message: Message, start: int, end: int) -> bool:
    """ "I wear cotton because I get hives": what stands before "because" or "when" is the way out.

    Behind "from it" the sentence goes back to what it has named.
    """
    if end < len(message.tokens) and message.at(end, "pronoun") is not None:
        return False
    return any(m.canonical in ("reason", "when") and m.start >= start for m in message.ends[end] if _is_link(m))


def _is_link(match: LexiconMatch) -> bool:
    return match.category == "reaction_link"


def _ties(message: Message, start: int, end: int) -> bool:
    if end == start + 1 and message.tokens[start].text in _TYING_MARKS:
        return True
    link = message.at(start, "reaction_link")
    if link is not None and link.canonical in ("cause", "contact", "worn", "refused"):
        return True
    conj = message.at(start, "conj")
    return conj is not None and message.at(conj.end, "self") is not None


def _points_back(message: Message, index: int) -> bool:
    """Кашемир не надо, у меня на него реакция: a pronoun behind "to" or "from" leads back to what was named."""
    return message.at(index, "pronoun") is not None and any(
        match.canonical in ("source", "reason") for match in message.ends[index] if _is_link(match)
    )


def _is_source(message: Message, index: int) -> bool:
    link = message.at(index, "reaction_link")
    if link is not None:
        return link.canonical in ("source", "contact", "reason", "when")
    return message.at(index, "exposure") is not None


def _has_source_word(message: Message, found: ValueList) -> bool:
    """From wool I get hives: the preposition right before the first of the list."""
    named = ("source", "contact", "reason", "worn", "refused")
    return any(_is_link(match) and match.canonical in named for match in message.ends[found.start])


def _is_heading(message: Message, found: ValueList, fired: Fired) -> bool:
    """Wool, hives every time: the list opens the clause and the reaction stands behind its first comma."""
    first, last = message.segment(found.start)
    return first == found.start == message.clause(first)[0] and last <= fired.start


def _kind_of(message: Message, fired: Fired) -> str:
    match = message.at(fired.start, "body_reaction")
    return match.canonical if match is not None else "noun"


def _is_own(message: Message, fired: Fired, found: ValueList, path: Path) -> bool:
    """The reaction says itself whose it is, or the user stands beside it; with a verb somebody has to be named."""
    start, end = min(fired.start, found.start), max(fired.end, found.end)
    if any(is_negated(message, index) for index in (fired.start, found.start) if not _is_cause(message, index)):
        return False
    if any(message.has_uncovered_in(name, ("reaction_link",), path.start, path.end) for name in ("negator", "denial")):
        return False
    if find_subject(message, start, end) == "other":
        return False
    how, first = _kind_of(message, fired), message.segment(start)[0]
    reach = min(message.clause(fired.start)[1], end + SUBJECT_REACH)
    if how in ("own", "verdict"):
        return True
    if how == "skin_verb":
        return _has_skin(message, first, reach)
    if how == "skin_verdict":  # "I have sensitive skin, polyester makes it worse"
        first = message.clause(start)[0]  # "I have eczema and wool makes it worse"
        return _has_skin(message, first, start) or message.has_in("allergy_word", first, start)
    if message.has_in("self", first, reach):
        return True
    if how == "verb":
        return _has_skin(message, first, reach)
    return not message.has_in("reaction_verb", path.start, path.end)


def _has_skin(message: Message, start: int, end: int) -> bool:
    """A part of the body, or words that tell its skin from leather (جلدي, кожа краснеет)."""
    told = message.list_in("decoy", start, end)
    return message.has_in("skin", start, end) or any(match.canonical == "skin" for match in told)


def _is_cause(message: Message, index: int) -> bool:
    """ "Latex and I don't get along, I swell up": the "not" belongs to what ties the two."""
    return any(message.at(place, "reaction_link") is not None for place in range(max(0, index - 3), index)) and all(
        message.is_covered(negator, ("reaction_link",))
        for negator in message.list_in("negator", max(0, index - 6), index)
    )


def _is_relieved(message: Message, fired: Fired) -> bool:
    """I switched to cotton and the rash is gone."""
    return message.has_uncovered_in("relief", ("reaction_link",), *message.clause(fired.start))  # not "لا يناسبني"


def list_ifs(message: Message, fired: Fired, values: ValueList) -> list[LexiconMatch]:
    """The "if" and "when" between a reaction and what brings it: there they state no condition."""
    if fired.start < values.start:
        return message.list_in("conditional", fired.end, values.end)
    found = message.list_in("conditional", max(0, values.start - IF_REACH), fired.end)
    causes = message.list_in("reaction_link", values.end, fired.start)
    if values.end == fired.start or any(
        link.canonical == "cause" for link in causes
    ):  # "if cashmere gives me hives" supposes the reaction itself
        return [match for match in found if not message.has_only(("filler",), match.end, values.start)]
    return found
