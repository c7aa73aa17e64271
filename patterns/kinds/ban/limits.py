"""What limits a ban to a place, a part or a combination: "banned in California", "jeans with rhinestones"."""

from __future__ import annotations

from patterns.statements.unknown import has_vocabulary, is_nobodys, is_strange
from patterns.steps.draft import Fired
from patterns.steps.message import Message
from patterns.steps.values import ValueList

_TIMES = ("period", "past", "since", "month", "month_word")
_PARTS = ("cut", "pattern", "fabric", "material")  # "leather with prints"
NEAR = 4  # words in which an "I" says that the place is the writer's


def is_limited_ban(message: Message, fired: Fired, values: ValueList) -> bool:
    """Whether what follows or joins the values makes the ban one of a place, a part, a moment or a combination."""
    end = max(fired.end, values.end)
    return (
        _is_of_place(message, fired, end)
        or _has_part(message, values)
        or _is_combined(message, values)
        or _is_of_copies(message, values)
        or _is_taken_from(message, fired, values)
        or _is_while(message, fired, values)
        or _is_about_time(message, values)
        or (values.start >= fired.end and message.at(values.end, "compound_head") is not None)
        or _is_news(message, fired, values)
        or _is_possessed(message, fired, values)
        or _is_lessened(message, end)
        or _is_described(message, values)
        or _is_of_quality(message, values)
        or _is_needed_later(message, fired)
    )


def _is_described(message: Message, values: ValueList) -> bool:
    """جلد أحمر, جينز واسع: leather of one colour, jeans of one shape."""
    last = values.items[-1]
    if last.language != "ar" or last.category not in ("fabric", "material") or last.end >= len(message.tokens):
        return False
    colour = message.at(last.end, "colour")
    return (colour is not None and not colour.has_and) or message.tokens[last.end].text in message.grammar.narrowing


def _is_lessened(message: Message, end: int) -> bool:
    """I don't wear pink much, ما ألبس وردي كثير: the measure closes the statement."""
    much = message.at(end, "much")
    if much is None:
        return False
    last = message.segment(end)[1]
    return last - much.end < NEAR - 1 or message.has_only(("filler", "laugh", "oath"), much.end, last)


def _is_needed_later(message: Message, fired: Fired) -> bool:
    """Сейчас мне не нужно кружево, ما أحتاج جلد الحين: what is not needed now may be needed another day."""
    texts = [token.text for token in message.tokens[fired.start : fired.end]]
    needing = message.grammar.needing
    return any(text.startswith(needing) for text in texts) and message.has_in("now", *message.segment(fired.start))


def _is_of_quality(message: Message, values: ValueList) -> bool:
    """I don't wear cheap leather, ما ألبس جلد رخيص: good leather may be worn."""
    if values.items[0].category not in ("fabric", "material"):
        return False
    first, last = message.segment(values.start)[0], message.segment(values.end - 1)[1]
    is_led = any(m.category == "quality" and m.start >= first for m in message.ends[values.start])
    return is_led or (values.end < last and message.at(values.end, "quality") is not None)


def _is_of_place(message: Message, fired: Fired, end: int) -> bool:
    """Fur is banned in California, ممنوع الكعب في المستشفى: a verdict on a place that is not the writer's."""
    grammar, texts = message.grammar, [token.text for token in message.tokens[fired.start : fired.end]]
    follows = message.tokens[end].text if end < len(message.tokens) else ""
    is_put = texts[0].startswith(grammar.put_away) and follows in grammar.put_into
    if not follows or not (is_put or any(text.startswith(grammar.verdicts) for text in texts)):
        return False
    is_led = follows in grammar.place_words or _has_place_prefix(message, end)
    last = message.segment(end)[1]
    if not is_led or end == last or any(message.at(end, name) is not None for name in ("lasting", "kept_out")):
        return False
    return not message.has_in("self", end, min(last, end + NEAR)) and not message.has_in("lasting", end, last)


def _has_place_prefix(message: Message, index: int) -> bool:
    """بالمول, بالجامعه: "in the" is attached."""
    token = message.tokens[index]
    return token.text.startswith(message.grammar.place_letters) and not message.starts[index].get("filler")


def _has_part(message: Message, values: ValueList) -> bool:
    """Jeans with rhinestones: some of them, and not all."""
    last = message.segment(values.end - 1)[1]
    if values.end + 1 >= last or message.tokens[values.end].text not in message.grammar.part_words:
        return False
    if any(message.has_in(name, values.end, min(last, values.end + NEAR)) for name in _TIMES):
        return False  # "с прошлого года"
    is_of_part = is_strange(message, values.end + 1) or message.at(values.end + 1, "other_value") is not None
    return is_of_part or any(message.at(values.end + 1, name) is not None for name in _PARTS)


def _is_combined(message: Message, values: ValueList) -> bool:
    """Black with blue, leopard to leopard: the one is not worn beside the other."""
    grammar, between = message.grammar, message.tokens[values.start : values.end]
    if len(values.items) > 1 and any(item.category not in ("colour", "pattern") for item in values.items):
        return False  # "мех с кожей" names both
    if len(values.items) > 1:
        return any(token.text in grammar.combining for token in between)
    before = message.tokens[values.start - 1].text if values.start > message.segment(values.start)[0] else ""
    is_beside = before in grammar.with_which and _names_value(message, values.start - 2)
    return is_beside or before in grammar.to_which


def _names_value(message: Message, index: int) -> bool:
    return any(message.at(index, name) is not None for name in ("colour", "pattern", "fabric", "material"))


def _is_of_copies(message: Message, values: ValueList) -> bool:
    """Подделки Gucci, Zara dupes: what is refused is made of a brand by a noun that nobody knows."""
    brand = values.items[0]
    if brand.category != "brand":
        return False
    first, last = message.segment(brand.start)
    is_led = brand.start > first and message.tokens[brand.start - 1].script == "cyrillic"
    if is_led and is_strange(message, brand.start - 1):
        return True
    return values.items[-1].end < last and brand.language == "en" and is_strange(message, values.end)


def _is_taken_from(message: Message, fired: Fired, values: ValueList) -> bool:
    """Remove leather from the filter: from a thing, and not from what is offered."""
    end, last = values.end, message.segment(values.end - 1)[1]
    if fired.rule.kind != "explicit" or end + 1 >= last or message.tokens[end].text not in message.grammar.out_of:
        return False
    out = message.at(end, "kept_out")
    if out is not None or message.has_in("self", end, min(last, end + NEAR)):
        return False
    return message.at(end + 1, "generic") is None


def _is_while(message: Message, fired: Fired, values: ValueList) -> bool:
    """ما ألبس الحرير وأنا أطبخ: "while I", with a verb that nobody knows."""
    end, last = values.end, message.clause(values.end - 1)[1]
    if fired.rule.kind not in ("habit", "habit_bare") or end + 1 >= last:
        return False
    grammar, follows = message.grammar, message.tokens[end].text
    is_joined = follows in grammar.and_letters and message.tokens[end + 1].text in grammar.i_words
    place = end + 2 if is_joined else end + 1
    return (is_joined or follows in grammar.and_i) and place < last and is_strange(message, place)


def _is_about_time(message: Message, values: ValueList) -> bool:
    """No white before Easter."""
    end, last = values.end, message.segment(values.end - 1)[1]
    return (
        end + 1 < last
        and message.tokens[end].text in message.grammar.around_when
        and message.at(end, "lasting") is None
    )


def _is_news(message: Message, fired: Fired, values: ValueList) -> bool:
    """Запрет на мех обсуждают, the velvet drop: a noun or a verdict with no "I" among words that nobody knows."""
    grammar, texts = message.grammar, [token.text for token in message.tokens[fired.start : fired.end]]
    if len(texts) == 1 and texts[0] in grammar.news_nouns and values.end == fired.start:
        return True
    is_verdict = texts[-1] in grammar.against or any(text.startswith(grammar.verdicts) for text in texts)
    return (
        is_verdict
        and has_vocabulary(fired.rule)
        and is_nobodys(message, min(fired.start, values.start), max(fired.end, values.end))
    )


def _is_possessed(message: Message, fired: Fired, values: ValueList) -> bool:
    """I don't wear my mini skirts in front of grandpa: those that are owned are worn at other times."""
    if fired.rule.kind not in ("habit", "habit_bare") or values.start <= message.segment(values.start)[0]:
        return False
    return message.tokens[values.start - 1].text in message.grammar.my_things


def is_this_one(message: Message, values: ValueList) -> bool:
    """هالجلد: "this" is attached to the value; розовое это не ношу: it follows a colour that stands for the thing."""
    last = values.items[-1]
    is_pointed_at = last.category == "colour" and last.end < len(message.tokens) and message.at(last.end, "thing")
    if is_pointed_at and message.segment(last.start) == message.segment(last.end):
        return True
    this = message.grammar.this_letters
    return any(message.tokens[item.start].text.startswith(this) for item in values.items)
