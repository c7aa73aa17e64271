"""Amounts and ranges of money as people type them, with their currency."""

from __future__ import annotations

from dataclasses import dataclass

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.message import Message
from patterns.steps.numbers import Number, find_number, has_attached_to

DEFAULT_CURRENCY = "AED"
MIN_AMOUNT, MAX_AMOUNT = 20, 1_000_000


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount or range on tokens [start, end); `high` is 0 for a single amount.

    `is_present`: it stands beside "now" after one that is over.
    """

    low: int
    high: int
    currency: str
    start: int
    end: int
    is_present: bool = False

    @property
    def value(self) -> int | str:
        """The stored form: 500, "300-500", "200 USD", "300-500 USD"."""
        number = f"{self.low}-{self.high}" if self.high else str(self.low)
        if self.currency != DEFAULT_CURRENCY:
            return f"{number} {self.currency}"
        return number if self.high else self.low


def read_amount(message: Message, index: int, end: int) -> Amount | None:
    """The amount or range that begins at a token, with its currency on either side."""
    lead = message.at(index, "currency")
    if lead is not None and _means_became(message, lead):
        return None
    place = lead.end if lead is not None else index
    if lead is not None and place < end - 1 and message.tokens[place].text == ".":
        place += 1  # Dhs. 700
    low = find_number(message, place, end=end)
    if low is None or low.suffix:
        return None
    currency, place = _currency_at(message, low.end, end, lead.canonical if lead else "")
    high, after = _read_high(message, place, end, low)
    if high is None:
        if not _is_amount(message, low, place, currency):
            return None
        return Amount(int(low.value), 0, currency or DEFAULT_CURRENCY, index, place)
    currency, after = _currency_at(message, after, end, currency)
    small, big = sorted((int(_scale_low(low, high)), int(high.value)))
    if small < MIN_AMOUNT or big > MAX_AMOUNT:
        return None
    return Amount(small, big, currency or DEFAULT_CURRENCY, index, after)


def _means_became(message: Message, lead: LexiconMatch) -> bool:
    """Budget sar nos alf: among words of Arabizi "sar" says that it is now so, and names no riyals."""
    if message.tokens[lead.start].text not in message.grammar.money_or_became:
        return False
    first, last = message.clause(lead.start)
    return any(
        message.starts[index]
        and not any(m.language == "en" for m in message.starts[index].values())
        and any(m.language == "arabizi" for m in message.starts[index].values())
        for index in range(first, last)
        if index != lead.start
    )


def _scale_low(low: Number, high: Number) -> float:
    """Two to three thousand is from two thousand, five to seven hundred from five hundred."""
    if high.value >= 1000 and low.value < 100 and low.value * 20 < high.value:
        return low.value * 1000
    is_hundreds = high.value % 100 == 0 and 200 <= high.value < 1000
    return low.value * 100 if is_hundreds and low.value < 10 and low.value * 100 < high.value else low.value


def _currency_at(message: Message, index: int, end: int, known: str) -> tuple[str, int]:
    match = message.at(index, "currency") if index < end else None
    return (match.canonical, match.end) if match is not None else (known, index)


def _read_spoken_high(message: Message, index: int, end: int, low: Number) -> tuple[Number | None, int]:
    """Триста-пятьсот: two round numbers in words side by side, the second the greater."""
    high = find_number(message, index, end=end) if low.is_word and index < end else None
    if high is None or not high.is_word:
        return None, index
    in_thousands = low.value < 10 and high.value % 1000 == 0 and low.value * 1000 < high.value <= low.value * 3000
    if not (100 <= low.value < high.value <= low.value * 10 or in_thousands):
        return None, index
    return high, high.end


def _read_high(message: Message, index: int, end: int, low: Number) -> tuple[Number | None, int]:
    """The second half of a range: 300-500, от 300 до 500, between 300 and 500, من ٣٠٠ إلى ٥٠٠."""
    place = index
    if place < end and message.tokens[place].text in "-/":
        place += 1
    else:
        word = message.at(place, "range_word") if place < end else None
        if word is not None and word.canonical == "to":
            place = word.end
        elif place >= end or not has_attached_to(message, place):
            return _read_spoken_high(message, index, end, low)
    lead = message.at(place, "currency")
    high = find_number(message, lead.end if lead is not None else place, end=end)
    if high is None or (high.value < 10 and not high.is_word) or high.suffix:
        return None, index
    return high, high.end


def _is_amount(message: Message, number: Number, after: int, currency: str) -> bool:
    if not MIN_AMOUNT <= number.value <= MAX_AMOUNT or number.value != int(number.value):
        return False
    if currency or after >= len(message.tokens):
        return True
    if message.at(after, "spending") is not None and message.at(after, "limit_word") is not None:
        return True  # بالشهر: a month of spending, not a term
    counted = ("period", "anti_anchor", "unit_length", "unit_weight")
    if message.tokens[after].text in message.grammar.counted_things:
        return False  # "under 30 options", "20 قطعة بالسنة"
    sized = message.at(after, "size_word")
    if sized is not None and not sized.has_and:
        return False  # "٥٠٠ ومقاسي M" goes on with another statement
    return message.tokens[after].text != "%" and not any(message.at(after, category) for category in counted)
