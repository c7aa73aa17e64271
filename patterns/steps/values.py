"""Objects of a trigger by closed vocabulary, and the splitting of lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.asides import find_aside_end
from patterns.steps.message import Message

MAX_ITEMS = 12
MAX_FILLERS_BEFORE = 7
MAX_FILLERS_BETWEEN = 4
MAX_REMARK = 5
_VALUES = ("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand")
_LISTED = (
    "other_value", "listed_pattern", "conj", "filler", "generic", "whole_of", "specific_item", "garment_word",
    "lasting", "please", "laugh", "oath", "polite", "too_word", "statement_tail", "kept_out", "order_tag", "dislike",
)  # fmt: skip
_LAST_LETTERS = 0x20FF  # above it are pictures and emoji
_OPENING_MARKS = frozenset(':-"(')


@dataclass(frozen=True, slots=True)
class ValueList:
    """The values found, and why the reading stopped when it found none."""

    items: tuple[LexiconMatch, ...]
    reason: str = ""

    @property
    def start(self) -> int:
        items = self.items
        return items[0].start if len(items) == 1 else min(item.start for item in items)

    @property
    def end(self) -> int:
        items = self.items
        return items[0].end if len(items) == 1 else max(item.end for item in items)


def pick_value(matches: Iterable[LexiconMatch], categories: Sequence[str], language: str) -> LexiconMatch | None:
    """The longest; of equally long ones that of the trigger's own language, then of the earlier category."""
    chosen = [m for m in matches if m[0] in categories]
    if len(chosen) < 2:
        return chosen[0] if chosen else None
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
    return _Walk(message, start, categories, language, items_refuse, breaks).read()


class _Walk:
    """One reading of the list that follows a trigger."""

    def __init__(
        self,
        message: Message,
        start: int,
        categories: Sequence[str],
        language: str,
        items_refuse: Set[str],
        breaks: Sequence[str],
    ) -> None:
        self.message, self.index = message, start
        self.categories, self.language = categories, language
        self.items_refuse, self.breaks = items_refuse, breaks
        self.last = message.clause(min(start, len(message.tokens) - 1))[1]
        self.items: list[LexiconMatch] = []
        self.refused = ""
        self.fillers = 0
        self.of_clothes = False  # "dresses that are": what follows is said of one sort of garment
        self.is_listed = message.tokens[min(start, len(message.tokens) - 1)].text == ":"  # "allergies: gold is fine"
        self.tied = True  # whether a conjunction or comma stands before this token

    def read(self) -> ValueList:
        """The values up to the first token that belongs to no list."""
        while self.index < self.last and len(self.items) < MAX_ITEMS and self._step():
            pass
        reason = "" if self.items else self.refused or _why_empty(self.message, self.index, self.last)
        return ValueList(tuple(self.items), reason)

    def _step(self) -> bool:
        """Take or pass what stands here; False where the list ends."""
        here = self.message.starts[self.index]
        if self.items and "only_word" in here:
            return False  # "I never wear black, only navy"
        value = pick_value(here.values(), self.categories, self.language)
        if value is None and self.tied and self.items and self.items[-1].category == "pattern":
            value = here.get("listed_pattern")  # "leopard or any animal"
        if self.items and self.tied and value is None and "conj" not in here and any(n in here for n in self.breaks):
            return False
        other, filler = here.get("other_value"), here.get("filler")
        if other is not None and value is not None:
            value, other = (None, other) if other.end > value.end else (value, None)
        if other is not None and (self.tied or not self.items):
            self.index, self.tied, self.refused = other.end, False, self.refused or "not_a_key"
            return True
        if value is not None and (filler is None or value.end >= filler.end):
            return self._take(value)
        return self._join(filler) or self._pass(filler)

    def _take(self, value: LexiconMatch) -> bool:
        follows = self.message.tokens[value.end].text if value.end == self.last - 1 else ""
        if self.items and value.category == "cut" and follows in self.message.grammar.i_words:
            return False  # "ما ألبس فلات، قصيرة أنا"
        if self.items and (_says_another(self.message, value, self.last) or self._is_told_of(value)):
            return False
        if value.has_and and self.fillers and not self.items and not self.refused:
            return False  # "ما البسه ابدا والباليرينا حياتي": the object stood before, and another statement begins
        is_loose = bool(self.items) and not self.tied and not value.has_and
        if is_loose and (value.start == self.items[-1].end or self.message.at(self.index, "generic") is None):
            return False
        self.index = value.end
        item = self.message.at(self.index, "specific_item") or self.message.at(self.index, "garment")
        may_be_fine = bool(self.items or self.refused) or (
            self.is_listed and self.message.at(self.index, "affirmation") is None
        )
        is_approved = may_be_fine and _is_approved(self.message, self.index, self.last)
        is_approved = is_approved or (bool(self.items) and self._is_described())
        if value.category in self.items_refuse and (item is not None or self.of_clothes):
            self.refused, self.index = "one_item", item.end if item is not None else value.end
        elif self.message.at(self.index, "comparative") or is_approved:
            self.refused = "limited"
            return False
        else:
            self.items.append(value)
        self.fillers, self.tied = 0, False
        return True

    def _is_told_of(self, value: LexiconMatch) -> bool:
        """Never show me fur, velvet is what I live for: behind a comma the segment goes on, and with no list."""
        message = self.message
        first, last = message.segment(value.start)
        is_listed = value.has_and or self.items[-1].end > first
        if is_listed or not first or message.tokens[first - 1].text != "," or not opens_segment(message, value.start):
            return False
        is_allergen = "irritant" in self.categories  # "nickel, gold, hair dye": a word may say what it is of
        for conj in message.list_in("conj", value.end, last):
            if is_allergen or not any(name in message.starts[min(conj.end, last - 1)] for name in _VALUES):
                last = conj.start
                break
        if any(value.end <= start < last for start, _ in message.triggered):
            return False
        place = value.end + is_allergen
        return place < last and not message.has_only((*_VALUES, *_LISTED), place, last)

    def _is_described(self) -> bool:
        """Latex, polyester is just sweaty: the last one has a verb of its own that says no "too"."""
        if self.index >= self.last or self._text not in self.message.grammar.telling_verbs:
            return False
        segment = self.message.segment(self.index)
        return not any(
            self.message.has_in(name, self.index, segment[1]) for name in ("too_word", "allergy_word", "dislike")
        )

    def _join(self, filler: LexiconMatch | None) -> bool:
        """Pass what ties the next value to the list; False where nothing does."""
        here = self.message.starts[self.index]
        generic, conj = here.get("generic"), here.get("conj")
        may_tie = bool(self.items or self.refused) or self.fillers == 0
        if self.items and generic is not None and not self.tied:
            self.index, self.tied = generic.end, generic.has_and  # "واللون البرتقالي"
        elif conj is not None and may_tie and (filler is None or conj.end >= filler.end):
            self.index, self.tied, self.fillers = _end_conjunction(self.message, conj, self.categories), True, 0
        elif self.items and not self.tied and filler is not None and self.message.at(filler.end, "conj"):
            self.index = filler.end
        elif self.items and self._numbers_item():
            self.index, self.tied, self.fillers = self.index + 2, True, 0
        elif (self.items or self._lists_on()) and (
            self._text in ",/+&"
            or (self._text == "(" and self._opens_with_value())
            or (self._text == ":" and self._details())
        ):
            self.index, self.tied, self.fillers = self.index + 1, True, 0
        else:
            return False
        return True

    def _pass(self, filler: LexiconMatch | None) -> bool:
        """Pass a small word or mark; False where there is none."""
        most = MAX_FILLERS_BETWEEN if self.items else MAX_FILLERS_BEFORE
        worn = self.message.at(self.index, "exposure")
        grammar, before = self.message.grammar, self.message.tokens[self.index - 1].text
        is_turn = self._text in grammar.turn_verbs and before in grammar.and_words
        if is_turn and (self.items or self.refused):
            return False  # "allergic to nickel and wear gold"
        if worn is not None and not self.items and (filler is None or worn.end > filler.end):
            self.index = worn.end
            return True
        if filler is not None and (self.tied or not self.items) and self.fillers < most:
            is_pronoun = self.message.at(self.index, "pronoun") is not None and not self.items
            self.refused = self.refused or ("pronoun" if is_pronoun else "")
            self.index, self.fillers = filler.end, self.fillers + 1
            return True
        place = self._pass_remark() if self.items else self._pass_opening()
        if place is None:
            return False
        self.index = place
        return True

    def _pass_remark(self) -> int | None:
        return _find_closing(self.message, self.index, self.last) if self._text == "(" else None

    def _pass_opening(self) -> int | None:
        """Where the list goes on after "whenever I wear", "yes,", a colon or an aside."""
        aside = find_aside_end(self.message, self.index, self.last)
        if aside is not None:
            return aside
        worn, affirmed = self.message.at(self.index, "exposure"), self.message.at(self.index, "affirmation")
        please = self.message.at(self.index + 1, "please") if self._text == "," else None
        if worn is not None:
            return worn.end
        if affirmed is not None or please is not None:
            end = (affirmed or please).end  # type: ignore[union-attr]  # one of them is there
            return end + (end < self.last and self.message.tokens[end].text == ",")
        if self._numbers_item():
            return self.index + 2
        grammar = self.message.grammar
        if self._text in grammar.which_words and self.index and self._follows_clothes():
            place = self.index + 1
            return place + (place < self.last and self.message.tokens[place].text in grammar.having_verbs)
        clothes = self.message.at(self.index, "generic")
        if (
            clothes is not None
            and clothes.end < self.last
            and self.message.tokens[clothes.end].text in grammar.which_words
        ):
            self.of_clothes = True
            return clothes.end
        is_picture = self.message.tokens[self.index].kind == "mark" and ord(self._text[0]) > _LAST_LETTERS
        return self.index + 1 if is_picture or self._text in _OPENING_MARKS else None

    def _lists_on(self) -> bool:
        """Allergic to cats, dust and wool: behind what is no key the rest of the clause is a list."""
        listed = (*self.categories, "other_value", "conj", "please", "laugh")
        return self.refused == "not_a_key" and self.message.has_only(listed, self.index, self.last)

    def _details(self) -> bool:
        """No prints: stripes, polka dots, any animal print: the rest of the clause only says which of that sort."""
        first = self.index + 1
        if not self.items or first >= self.last or self.message.tokens[self.last - 1].text == "?":
            return False
        told = pick_value(self.message.starts[first].values(), self.categories, self.language)
        if told is None or told.category != self.items[-1].category:
            return False
        listed = (told.category, "listed_pattern", "conj", "filler", "generic", "lasting", "please")
        return self.message.has_only(listed, first, self.last)

    def _numbers_item(self) -> bool:
        """1) latex 2) nickel"""
        here = self.message.tokens[self.index]
        follows = self.message.tokens[self.index + 1].text if self.index + 1 < self.last else ""
        return here.kind == "number" and len(here.text) == 1 and follows == ")"

    def _follows_clothes(self) -> bool:
        """Tops that show cleavage, nothing that bares the shoulders."""
        is_clothes = any(match.category == "generic" for match in self.message.ends[self.index])
        return is_clothes or self.message.tokens[self.index - 1].text in self.message.grammar.nothing_word

    def _opens_with_value(self) -> bool:
        inside = self.message.starts[min(self.index + 1, self.last - 1)]
        return pick_value(inside.values(), self.categories, self.language) is not None

    @property
    def _text(self) -> str:
        return self.message.tokens[self.index].text


def _is_approved(message: Message, index: int, last: int) -> bool:
    """Mohair is ok; the "ok?" that ends a message asks whether it was heard."""
    tag = message.at(index, "order_tag")
    is_tag = tag is not None and tag.end == last - 1 and message.tokens[tag.end].text == "?"
    return message.at(index, "approval") is not None and not is_tag


def _says_another(message: Message, value: LexiconMatch, last: int) -> bool:
    """I never wear prints, cashmere makes me itch; не ношу мини, джинсы 30: the value opens a statement of its own."""
    if value.end >= last:
        return False
    behind = message.starts[value.end]
    link = behind.get("reaction_link")
    is_causing = "body_reaction" in behind or (link is not None and link.canonical in ("cause", "refused"))
    return is_causing or "size_letter" in behind or message.tokens[value.end].kind == "number"


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


def list_in_next_clause(
    message: Message, end: int, *, categories: Sequence[str], language: str, items_refuse: Set[str] = frozenset()
) -> tuple[LexiconMatch, ...]:
    """I don't wear brown. Or orange. The values of a clause that only goes on with the list that ended before it.

    `end`: the token after the statement, which has to close its own clause. Nothing where the clause says more or asks.
    """
    last = message.clause(end - 1)[1] if end else 0
    if not end or last >= len(message.tokens) or any(token.text != "." for token in message.tokens[end:last]):
        return ()
    first, stop = message.clause(last)
    joins = message.at(first, "conj") is not None or any(match.has_and for match in message.starts[first].values())
    if not joins or message.tokens[stop - 1].text == "?":
        return ()
    found = read_values_after(message, first, categories=categories, language=language, items_refuse=items_refuse)
    if not found.items or not message.has_only(("lasting", "oath"), found.end, stop):
        return ()
    return found.items


def list_in_clauses_before(message: Message, clause: int, *, categories: Sequence[str]) -> tuple[LexiconMatch, ...]:
    """Gucci? Prada? Never. The values of the clauses before one that each name one thing and nothing else."""
    items: list[LexiconMatch] = []
    while clause > 0 and len(items) < MAX_ITEMS:
        clause -= 1
        first, last = message.normal.clauses[clause]
        found = [m for c in categories if (m := message.at(first, c)) is not None and m.end == last - 1]
        if not found or message.tokens[last - 1].text not in "?.!":
            break
        items.append(found[0])
    return tuple(reversed(items))


def opens_segment(message: Message, start: int) -> bool:
    """Whether nothing but small words stands before a value in its segment: "I wear black, leather never" lists one."""
    first = message.segment(start)[0]
    while first < start:
        names = ("filler", "conj", "self", "oath", "lasting", *_VALUES)
        small = [m for name in names if (m := message.at(first, name)) is not None]
        if not small:
            return False
        first = max(m.end for m in small)
    return True
