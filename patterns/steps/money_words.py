"""Small words about amounts of money that change what an amount beside them is."""

from __future__ import annotations

from patterns.steps.amounts import read_amount
from patterns.steps.message import Message

_OVER = frozenset(("больше", "дороже", "выше", "сверху", "сверх", "и"))


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
    return message.tokens[start].text in _OVER
