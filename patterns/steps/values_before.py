"""The list of values that ends before a trigger, and the short question before a statement that names its topic."""

from __future__ import annotations

from collections.abc import Sequence, Set

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.asides import find_aside_start
from patterns.steps.message import Message
from patterns.steps.values import (
    MAX_FILLERS_BETWEEN,
    MAX_ITEMS,
    ValueList,
    list_in_clauses_before,
    opens_segment,
    pick_value,
)

_SMALL = ("filler", "self", "lasting", "oath", "generic")


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
    walk = _WalkBack(message, end, categories, language, crossed, items_refuse)
    first, _ = message.clause(end - 1)
    while walk.index > first and len(walk.items) < MAX_ITEMS and walk.step(first):
        pass
    if walk.is_one_item:
        return ValueList((), "one_item")
    return ValueList(tuple(reversed(walk.items)), "" if walk.items else "not_in_vocabulary")


class _WalkBack:
    """A walk to the left, token by token: values, what ties them, and small words."""

    def __init__(
        self, message: Message, end: int, categories: Sequence[str], language: str, crossed: str, refused: Set[str]
    ) -> None:
        self.message, self.end, self.index = message, end, end
        self.categories, self.language, self.crossed, self.items_refuse = categories, language, crossed, refused
        self.items: list[LexiconMatch] = []
        self.fillers = 0
        self.tied = True
        self.has_other = False  # a thing that is no key stands in the list
        self.is_one_item = False

    def step(self, first: int) -> bool:
        """Take or pass what ends at the index; False where the list has ended."""
        here = self.message.ends[self.index]
        value = pick_value(here, self.categories, self.language)
        if self.items and value is None and any(m.category == "self" and m.language in ("ar", "arabizi") for m in here):
            return False  # وأنا عندي من اللاتكس: what stands before is another's
        if self._is_of_item(value):
            self.is_one_item = True  # "leather shorts"
            return False
        skip = _find_longest(here, _SMALL if not self.items else ("filler",))
        if value is not None and (self.tied or not self.items) and (skip is None or value.start <= skip.start):
            return self._take(value)
        return self._join(here) or self._pass(skip, first)

    def _is_of_item(self, value: LexiconMatch | None) -> bool:
        is_garment = bool(self.items) and self.items[-1].category == "garment" and self.items[-1].start == self.index
        return is_garment and not self.tied and value is not None and value.category in self.items_refuse

    def _take(self, value: LexiconMatch) -> bool:
        tokens = self.message.tokens
        text_after = tokens[self.index].text if self.index < len(tokens) else ""
        if self.items and text_after == "," and not opens_segment(self.message, value.start):
            return False
        if self.items and _is_left_out(self.message, value, is_closed=text_after == ","):
            return False
        if self.items and _is_preferred(self.message, value, self.items[-1].start):
            return False
        is_one = value.category in self.items_refuse and value.end < self.end
        if is_one and self.message.at(value.end, "specific_item"):
            self.is_one_item = True
            return False
        self.items.append(value)
        self.index, self.tied, self.fillers = value.start, value.has_and, 0
        return True

    def _join(self, here: Sequence[LexiconMatch]) -> bool:
        """Pass what ties the next value to the list; False where nothing does."""
        conj = _find_longest(here, ("conj",))
        other = _find_longest(here, ("other_value",)) if self.tied or not self.items else None
        if (self.items or self.has_other) and conj is not None and not self.tied:
            self.index, self.tied = conj.start, True
        elif other is not None:
            self.index, self.tied, self.has_other = other.start, False, True
        elif self.items and (self._text in ",/+&" or _is_heading_mark(self.message, self.index - 1)):
            self.index, self.tied = self.index - 1, True
        else:
            return False
        return True

    def _pass(self, skip: LexiconMatch | None, first: int) -> bool:
        """Pass a small word, an aside or a mark; False where there is none."""
        if skip is not None and self.fillers < MAX_FILLERS_BETWEEN:
            self.index, self.fillers = skip.start, self.fillers + 1
            return True
        aside = find_aside_start(self.message, self.index, first) if not self.items else None
        if aside is not None:
            self.index = aside
        elif not self.items and self._text in self.crossed:
            self.index -= 1
        else:
            return False
        return True

    @property
    def _text(self) -> str:
        return self.message.tokens[self.index - 1].text


def _is_preferred(message: Message, value: LexiconMatch, listed: int) -> bool:
    """Only gold for me, anything with nickel gives me hives: a segment of its own says what there may be."""
    first, last = message.segment(value.start)
    says_more = last < listed and value.end < last - (message.tokens[last - 1].text == ",")
    return says_more and message.has_in("only_word", first, value.start)


def _is_left_out(message: Message, value: LexiconMatch, *, is_closed: bool) -> bool:
    """Cotton is ok, nylon gives me a rash; дело не в шерсти, а на краску аллергия."""
    if message.at(value.end, "approval") is not None:
        return True
    return is_closed and message.has_in("denial_word", message.segment(value.start)[0], value.start)


def _is_heading_mark(message: Message, index: int) -> bool:
    """Gucci? Prada? Never: a question mark that was turned into a colon."""
    token = message.tokens[index]
    return token.text == ":" and message.normal.text[token.start] == "?"


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
    found = read_values_before(message, last - 1, categories=categories, language=language)
    if not found.items or found.start != first:
        return found
    return ValueList((*list_in_clauses_before(message, clause - 1, categories=categories), *found.items))


def _find_longest(matches: Sequence[LexiconMatch], categories: Sequence[str]) -> LexiconMatch | None:
    chosen = [m for m in matches if m.category in categories]
    return min(chosen, key=lambda m: m.start) if chosen else None
