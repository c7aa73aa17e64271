"""Sizes and amounts in a text: numbers told apart by unit, topic and plausibility. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corrections.recognition.texts import Text
from memory.types import Fact
from patterns.kinds.body.size_values import Size, find_size
from patterns.steps.message import Message
from patterns.steps.numbers import find_number

PLAUSIBLE = {"height": (120, 220), "weight": (30, 200), "budget": (50, 1_000_000)}
SIZES = (32, 60)
BOTTOM_SIZES = (22, 60)
CM_PER_INCH = 2.54
AMBIGUOUS_SYSTEM = "IT"
MAX_SYSTEM_SIZE = 60
_SYSTEM = re.compile(r"([A-Z]{2})\d+")
_CURRENCY = re.compile(r"[A-Z]{3}$")
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number on tokens [start, end); `high` closes a range; `unit`: cm, kg, a currency code, "" when none is said."""

    value: float
    start: int
    end: int
    high: float | None = None
    unit: str = ""


def list_sizes(text: Text, *, fact: Fact | None = None) -> Sequence[Size]:
    """Every size in the text, left to right. A bare number counts only when it may be a size of the given fact."""
    if not text.message.has_size:
        return []
    asked = (fact.knowledge_key == "size_bottom", _is_ambiguous(fact)) if fact is not None else None
    return text.keep(("sizes", asked), lambda: _find_sizes(text, fact))


def _find_sizes(text: Text, fact: Fact | None) -> list[Size]:
    message = text.message
    found: list[Size] = []
    end = 0
    for place in _list_places(text):
        size = find_size(message, place, len(message.tokens)) if place >= end else None
        if size is not None and _is_real(text, size, fact):
            found.append(size)
            end = size.end
    return found


def _list_places(text: Text) -> list[int]:
    """Where a size or number may begin: at figures and at words that the vocabulary knows."""
    return text.keep("places", lambda: _find_places(text.message))


def _find_places(message: Message) -> list[int]:
    return [
        place
        for place, (token, starting) in enumerate(zip(message.tokens, message.starts, strict=True))
        if starting or not token[0].isalpha()
    ]


def _is_real(text: Text, size: Size, fact: Fact | None) -> bool:
    if size.form == "word" and any(size.start in range(c.start, c.end) for c in text.list_cues("reject")):
        return False
    if size.form == "system":
        return _is_system(text, size, fact)
    if size.form != "number":
        return True
    low, high = BOTTOM_SIZES if fact is not None and fact.knowledge_key == "size_bottom" else SIZES
    if not low <= int(size.value.split("-")[0]) <= high or fact is None:
        return False
    message = text.message
    blocked = ("currency", "period", "unit_length", "unit_weight", "unit_thousand")
    return not any(message.at(size.end, name) for name in blocked)


def _is_system(text: Text, size: Size, fact: Fact | None) -> bool:
    """ "Make it 42" and "42 it is" name no Italian size, unless an Italian one is stored."""
    spelt = [token.text for token in text.message.tokens[size.start : size.end]]
    is_word = AMBIGUOUS_SYSTEM.lower() in spelt  # before the number or behind it
    return not is_word or (fact is not None and _is_ambiguous(fact))


def _is_ambiguous(fact: Fact) -> bool:
    return str(fact.value).startswith(AMBIGUOUS_SYSTEM)


def is_size_of(text: Text, size: Size, fact: Fact, facts: Sequence[Fact]) -> bool:
    """Whether a size in a text is the value of the fact: equal, and of its half of the body when halves are stored."""
    if size.value.upper() != str(fact.value).upper():
        return False
    halves = [other for other in facts if other.knowledge_key in ("size_top", "size_bottom")]
    half = find_half(text, size)
    if fact.knowledge_key in ("size_top", "size_bottom"):
        return half in (None, fact.knowledge_key)
    return half is None or not halves


def find_half(text: Text, size: Size) -> str | None:
    """`size_top` or `size_bottom` when the segment of the size names a half, else None."""
    start, end = text.message.segment(size.start)
    before = text.message.find_last_in("half", start, size.start)
    after = text.message.find_in("half", size.end, end)
    chosen = before or after
    return chosen.canonical if chosen else None


def list_amounts(text: Text) -> Sequence[Amount]:
    """Every number that is no date and no size with a letter or a system, ranges joined, left to right."""
    if not text.message.has_number:
        return []
    return text.keep("amounts", lambda: _find_amounts(text))


def _find_amounts(text: Text) -> list[Amount]:
    found: list[Amount] = []
    end, last = 0, len(text.message.tokens)
    for place in _list_places(text):
        amount = _read_amount(text, place, last) if place >= end else None
        if amount is not None:
            found.append(amount)
            end = amount.end
    return _join_ranges(text, found)


def _read_amount(text: Text, index: int, last: int) -> Amount | None:
    message = text.message
    number = find_number(message, index, end=last)
    if number is None or (number.is_word and number.value < 20):
        return None
    system = message.at(index - 1, "size_system") if index else None
    if message.at(index, "size_system") or (system is not None and system.canonical != AMBIGUOUS_SYSTEM):
        return None
    if message.at(number.end, "period") or message.at(number.end, "month") or message.at(index, "dual"):
        return None
    if number.suffix:
        return None
    if number.value < 100 and any(cue.end == index and cue.meaning == "m" for cue in text.list_cues("unit", end=index)):
        return Amount(100 + number.value, index, number.end, unit="cm")
    feet = _read_feet(text, index, number.value)
    if feet is not None:
        return feet
    unit, end = _find_unit(text, index, number.end)
    return Amount(number.value, index, end, unit=unit)


def _read_feet(text: Text, index: int, feet: float) -> Amount | None:
    """5'7 and 5'7": feet and inches in centimetres."""
    tokens = text.message.tokens
    if not 4 <= feet <= 6 or index + 2 >= len(tokens) or tokens[index + 1].text != "'":
        return None
    inches = tokens[index + 2].text
    if not inches.isdigit() or int(inches) > 11:
        return None
    return Amount(round((feet * 12 + int(inches)) * CM_PER_INCH), index, index + 3, unit="cm")


def _find_unit(text: Text, start: int, end: int) -> tuple[str, int]:
    message = text.message
    after = message.at(end, "currency")
    if after:
        return after.canonical, after.end
    before = message.at(start - 1, "currency") if start else None
    if before and before.end == start:
        return before.canonical, end
    unit = next((cue for cue in text.list_cues("unit", start=end, end=end + 1)), None)
    return (unit.meaning, unit.end) if unit else ("", end)


def _join_ranges(text: Text, amounts: list[Amount]) -> list[Amount]:
    joined: list[Amount] = []
    for amount in amounts:
        if joined and joined[-1].high is None and _is_range(text, joined[-1], amount):
            low = joined.pop()
            joined.append(Amount(low.value, low.start, amount.end, high=amount.value, unit=amount.unit or low.unit))
        else:
            joined.append(amount)
    return joined


def _is_range(text: Text, low: Amount, high: Amount) -> bool:
    if not low.value < high.value:
        return False
    between = text.message.tokens[low.end : high.start]
    if len(between) == 1 and between[0].text == "-":
        return True
    link = text.message.at(low.end, "range_word") or text.message.at(low.end, "conj")
    return link is not None and link.end == high.start


def is_amount_of(text: Text, amounts: Sequence[Amount], fact: Fact) -> bool:
    """Whether the numbers of the text hold every number of the fact's value (a range has two)."""
    wanted = {float(number) for number in _NUMBERS.findall(str(fact.value))} if amounts else None
    if not wanted:
        return False
    if fact.knowledge_type == "budget" and not text.has("limit"):
        amounts = [
            amount for amount in amounts if not text.list_cues("priced", start=amount.start - 1, end=amount.start)
        ]
    said = {number for amount in amounts for number in (amount.value, amount.high) if number is not None}
    if fact.knowledge_key == "height":
        said |= {number * 100 for number in said if number < 3}
    return wanted <= said


def choose_slot(text: Text, amount: Amount, facts: Sequence[Fact]) -> Fact | None:
    """The fact whose new value an amount is: by unit, by the topic of its segment, else by what is plausible."""
    fitting = [fact for fact in facts if make_value(amount, fact) is not None]
    named = _list_named(text, amount)
    if named:
        fitting = [fact for fact in fitting if _kind(fact) in named]
    if len(fitting) <= 1:
        return fitting[0] if fitting else None
    return min(fitting, key=lambda fact: _distance(amount, fact))


def _kind(fact: Fact) -> str:
    if fact.knowledge_type == "budget":
        return "budget"
    return fact.knowledge_key if fact.knowledge_key in ("height", "weight") else "body_params"


def _list_named(text: Text, amount: Amount) -> set[str]:
    by_unit = {"cm": "height", "m": "height", "kg": "weight"}
    if amount.unit:
        return {by_unit.get(amount.unit, "budget")}
    start, end = text.message.segment(amount.start)
    topics = {cue.meaning for cue in text.list_cues("topic", start=start, end=end)}
    return topics & {"budget", "height", "weight", "body_params"}


def _distance(amount: Amount, fact: Fact) -> float:
    numbers = _NUMBERS.findall(str(fact.value))
    if not numbers:
        return 0.9
    old = float(numbers[0])
    return abs(amount.value - old) / max(old, 1.0)


def make_value(amount: Amount, fact: Fact) -> Any:
    """The amount as a value of the fact's key, None when it cannot be one."""
    kind = _kind(fact)
    if kind == "body_params" and (system := _SYSTEM.fullmatch(str(fact.value))):
        is_size = amount.high is None and not amount.unit and 0 <= amount.value <= MAX_SYSTEM_SIZE
        return f"{system[1]}{_plain(amount.value)}" if is_size else None
    if kind == "body_params":
        low, high = BOTTOM_SIZES if fact.knowledge_key == "size_bottom" else SIZES
        is_size = (
            amount.high is None
            and not amount.unit
            and low <= amount.value <= high
            and amount.value == int(amount.value)
        )
        return str(int(amount.value)) if is_size else None
    if kind == "budget":
        return _make_budget(amount, fact) if amount.unit not in ("cm", "kg", "m") else None
    value = amount.value * 100 if kind == "height" and amount.value < 3 else amount.value
    low, high = PLAUSIBLE[kind]
    return int(value + 0.5) if amount.high is None and low <= value <= high else None


def _make_budget(amount: Amount, fact: Fact) -> int | str | None:
    """Who raises a budget in roubles "to 7,000" means roubles: without a currency the stored one stays."""
    low, high = PLAUSIBLE["budget"]
    if not low <= amount.value <= high:
        return None
    stored = _CURRENCY.search(str(fact.value))
    currency = amount.unit or (stored[0] if stored else "")
    currency = "" if currency == "AED" else currency
    text = f"{_plain(amount.value)}-{_plain(amount.high)}" if amount.high else _plain(amount.value)
    if currency:
        return f"{text} {currency}"
    return text if amount.high else int(amount.value + 0.5)


def _plain(value: float | None) -> str:
    return str(int((value or 0.0) + 0.5))
