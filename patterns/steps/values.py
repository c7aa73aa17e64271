"""Objects of a trigger by closed vocabulary, and the splitting of lists (ENGINE steps 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from patterns.lexicon import LexiconMatch
from patterns.steps.message import Message

MAX_ITEMS = 12
MAX_FILLERS_BEFORE = 7
MAX_FILLERS_BETWEEN = 4
MAX_REMARK = 5
_VALUES = ("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand")
_OPENING_MARKS = frozenset(':-"(')


@dataclass(frozen=True, slots=True)
class ValueList:
    """The values found, and why the reading stopped when it found none."""

    items: tuple[LexiconMatch, ...]
    reason: str = ""

    @property
    def start(self) -> int:
        return min(item.start for item in self.items)

    @property
    def end(self) -> int:
        return max(item.end for item in self.items)


def _pick(matches: Iterable[LexiconMatch], categories: Sequence[str], language: str) -> LexiconMatch | None:
    """The longest; of equally long ones that of the trigger's own language, then of the earlier category."""
    chosen = [m for m in matches if m.category in categories]
    if not chosen:
        return None
    return max(chosen, key=lambda m: (m.end - m.start, m.language == language, -categories.index(m.category)))


def read_values_after(
    message: Message,
    start: int,
    *,
    categories: Sequence[str],
    language: str,
    items_refuse: Set[str],
    breaks: Sequence[str] = ("self",),
) -> ValueList:
    """The list of values that begins at `start`: fillers, a value, then "and" or a comma and the next.

    `breaks`: words that begin another statement once there is a value ("... wool and I ...").
    """
    _, last = message.clause(min(start, len(message.tokens) - 1))
    items: list[LexiconMatch] = []
    refused = ""
    index = start
    fillers = 0
    tied = True  # whether a conjunction or comma stands before this token
    while index < last and len(items) < MAX_ITEMS:
        value = _pick(list(message.starts[index].values()), categories, language)
        filler = message.at(index, "filler")
        conj = message.at(index, "conj")
        generic = message.at(index, "generic") if items else None
        if items and tied and value is None and conj is None and any(message.at(index, name) for name in breaks):
            break
        other = message.at(index, "other_value")
        if other is not None and value is not None:
            value, other = (None, other) if other.end > value.end else (value, None)
        if other is not None and (tied or not items):
            index, tied, refused = other.end, False, refused or "not_a_key"
        elif value is not None and (filler is None or value.end >= filler.end):
            is_loose = bool(items) and not tied and not value.has_and
            if is_loose and (value.start == items[-1].end or generic is None):
                break
            index = value.end
            if value.category in items_refuse and message.at(index, "specific_item"):
                refused = "one_item"
                index = message.starts[index]["specific_item"].end
            elif message.at(index, "comparative") or (items and _is_approved(message, index, last)):
                refused = "limited"
                break
            else:
                items.append(value)
            fillers, tied = 0, False
        elif items and generic is not None and not tied:
            index = generic.end
        elif conj is not None and (items or refused or fillers == 0) and (filler is None or conj.end >= filler.end):
            index, tied, fillers = _end_conjunction(message, conj, categories), True, 0
        elif items and not tied and filler is not None and message.at(filler.end, "conj"):
            index = filler.end
        elif items and message.tokens[index].text in ",/+&":
            index, tied, fillers = index + 1, True, 0
        elif (
            filler is not None
            and (tied or not items)
            and fillers < (MAX_FILLERS_BETWEEN if items else MAX_FILLERS_BEFORE)
        ):
            refused = refused or ("pronoun" if message.at(index, "pronoun") and not items else "")
            index, fillers = filler.end, fillers + 1
        elif not items and (worn := message.at(index, "exposure")) is not None:
            index = worn.end
        elif not items and (affirmed := message.at(index, "affirmation")) is not None:
            index = affirmed.end + (affirmed.end < last and message.tokens[affirmed.end].text == ",")
        elif (
            items
            and message.tokens[index].text == "("
            and _pick(message.starts[min(index + 1, last - 1)].values(), categories, language)
        ):
            index, tied, fillers = index + 1, True, 0
        elif items and message.tokens[index].text == "(" and (closed := _find_closing(message, index, last)):
            index = closed
        elif not items and message.tokens[index].text == "," and message.at(index + 1, "please"):
            index = message.starts[index + 1]["please"].end
            index += index < last and message.tokens[index].text == ","
        elif not items and message.tokens[index].text in _OPENING_MARKS:
            index += 1
        else:
            break
    if items:
        return ValueList(tuple(items))
    return ValueList((), refused or _why_empty(message, index, last))


def _is_approved(message: Message, index: int, last: int) -> bool:
    """Mohair is ok; the "ok?" that ends a message asks whether it was heard."""
    tag = message.at(index, "order_tag")
    is_tag = tag is not None and tag.end == last - 1 and message.tokens[tag.end].text == "?"
    return message.at(index, "approval") is not None and not is_tag


def _end_conjunction(message: Message, conj: LexiconMatch, categories: Sequence[str]) -> int:
    """Where the next value may begin: the second word of a conjunction can be the first of a value ("и в облипку")."""
    for place in range(conj.start + 1, conj.end):
        if any(match.category in categories for match in message.starts[place].values()):
            return place
    return conj.end


def _find_closing(message: Message, index: int, last: int) -> int | None:
    """The token after a short remark in brackets: nickel (severe), wool (mild)."""
    for place in range(index + 1, min(last, index + MAX_REMARK)):
        if message.tokens[place].text == ")":
            return place + 1
    return None


def _why_empty(message: Message, index: int, last: int) -> str:
    if index < last and message.at(index, "pronoun"):
        return "pronoun"
    return "not_in_vocabulary"


def read_values_before(
    message: Message,
    end: int,
    *,
    categories: Sequence[str],
    language: str,
    crossed: str = "",
    items_refuse: Set[str] = frozenset(),
) -> ValueList:
    """The list of values that ends before `end`, walking left over pronouns and adverbs, never out of the clause.

    `crossed`: the marks that may stand between the list and the trigger.
    """
    if end <= 0:
        return ValueList((), "not_in_vocabulary")
    first, _ = message.clause(end - 1 if end > 0 else 0)
    items: list[LexiconMatch] = []
    index = end
    fillers = 0
    tied = True
    has_other = False  # a thing that is no key stands in the list
    while index > first and len(items) < MAX_ITEMS:
        here = message.ends[index]
        value = _pick(here, categories, language)
        conj = _longest(here, ("conj",))
        skip = _longest(here, ("filler", "self", "lasting", "oath", "generic") if not items else ("filler",))
        text = message.tokens[index - 1].text
        text_after = message.tokens[index].text if index < len(message.tokens) else ""
        if value is not None and (tied or not items) and (skip is None or value.start <= skip.start):
            if items and text_after == "," and not opens_segment(message, value.start):
                break
            if value.category in items_refuse and value.end < end and message.at(value.end, "specific_item"):
                return ValueList((), "one_item")
            items.append(value)
            index, tied, fillers = value.start, value.has_and, 0
        elif (items or has_other) and conj is not None and not tied:
            index, tied = conj.start, True
        elif (tied or not items) and (other := _longest(here, ("other_value",))) is not None:
            index, tied, has_other = other.start, False, True
        elif items and text in ",/+&":
            index, tied = index - 1, True
        elif skip is not None and fillers < MAX_FILLERS_BETWEEN:
            index, fillers = skip.start, fillers + 1
        elif not items and text in crossed:
            index -= 1
        else:
            break
    return ValueList(tuple(reversed(items)), "" if items else "not_in_vocabulary")


def read_topic(
    message: Message, start: int, *, categories: Sequence[str], language: str, longest: int = 6
) -> ValueList:
    """Wool? Allergic. / Is it wool? I'm allergic to it. What a short question right before a statement names.

    The statement begins at token `start`; a longer question gives nothing.
    """
    clause = message.clause_of[start] if start < len(message.tokens) else 0
    first, last = message.normal.clauses[clause - 1] if clause else (0, 0)
    first = max((i + 1 for i in range(first, last - 1) if message.tokens[i].text in ",:"), default=first)
    if not 0 < last - first <= longest or message.tokens[last - 1].text not in "?!.":
        return ValueList((), "not_in_vocabulary")
    return read_values_before(message, last - 1, categories=categories, language=language)


def opens_segment(message: Message, start: int) -> bool:
    """Whether nothing but small words stands before a value in its segment: "I wear black, leather never" lists one."""
    first = message.segment(start)[0]
    while first < start:
        small = [
            m
            for c in ("filler", "conj", "self", "oath", "lasting", *_VALUES)
            if (m := message.at(first, c)) is not None
        ]
        if not small:
            return False
        first = max(m.end for m in small)
    return True


def _longest(matches: Sequence[LexiconMatch], categories: Sequence[str]) -> LexiconMatch | None:
    chosen = [m for m in matches if m.category in categories]
    return min(chosen, key=lambda m: m.start) if chosen else None
