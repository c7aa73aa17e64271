"""Small words about amounts of money that change what an amount beside them is."""

from __future__ import annotations

from patterns.kinds.budget.amounts import Amount, read_amount
from patterns.steps.draft import Fired
from patterns.steps.message import Message

_SMALL = (
    "naming", "filler", "self", "limit_word", "please", "laugh", "oath", "decoy", "order_tag", "conj", "size_filler",
    "now",
)  # fmt: skip
_STOPS = (
    "price", "spent", "size_word", "size_letter", "measure_word", "shoe", "gift", "budget_other",
    "past", "hedge", "minimum", "change_from", "instead", "period", "unit_length", "unit_weight", "event",
)  # fmt: skip
OLDEST = 110


def skip_replaced(message: Message, index: int, last: int) -> int:
    """Вместо тысячи - тысяча восемьсот, instead of 500 it's 700: behind the amount that holds no more."""
    instead = message.at(index, "instead")
    former = read_amount(message, instead.end, last) if instead is not None else None
    return former.end if former is not None else index


def opens_range_before(message: Message, start: int) -> bool:
    """Whether the number at a token is the second half of "200-250"."""
    if start < 2 or message.tokens[start - 1].text not in "-/":
        return False
    return message.tokens[start - 2].kind == "number"


def says_no_more(message: Message, start: int) -> bool:
    """Больше не осилю: what is said is that there is no more than what was named."""
    return message.tokens[start].text in message.grammar.no_more


def find_named_before(message: Message, fired: Fired) -> Amount | None:
    """800 dirhams and do as you like, that's my whole budget: the last segment says whose the only amount is."""
    first, segment = message.clause(fired.start)[0], message.segment(fired.start)
    is_mine = message.has_in("self", max(first, fired.start - 1), fired.end)
    if fired.rule.kind not in ("word", "limit") or segment[0] == first or not is_mine:
        return None
    if not message.has_only(_SMALL, segment[0], fired.start) or not message.has_only(_SMALL, fired.end, segment[1]):
        return None
    if any(message.has_in(name, first, segment[0]) for name in _STOPS):
        return None
    found: list[Amount] = []
    index = first
    while index < segment[0]:
        amount = read_amount(message, index, segment[0])
        if amount is None and message.tokens[index].kind == "number":
            return None
        if amount is not None:
            found.append(amount)
        index = amount.end if amount is not None else index + 1
    if len(found) != 1:
        return None
    people = [m for name in ("relation", "other") for m in message.list_in(name, first, found[0].start)]
    is_anothers = any(not message.has_in("self", person.end, found[0].start) for person in people)
    return None if is_anothers else found[0]  # "муж выделил мне 800" is the writer's


def is_age(message: Message, amount: Amount) -> bool:
    """Мне 50: no money but years, where no currency stands."""
    if amount.low > OLDEST or not amount.start:
        return False
    return message.tokens[amount.start - 1].text in message.grammar.aged


def step_change(message: Message, index: int) -> int | None:
    """Бюджет опустился до 800, бюджет варьируется от 300: behind a verb of change stands what it leads to."""
    token, grammar = message.tokens[index], message.grammar
    if index + 1 >= len(message.tokens) or token.script != "cyrillic":
        return None
    if not token.text.endswith(grammar.changed_endings):
        return None
    return index + 1 if message.tokens[index + 1].text in grammar.changed_to else None
