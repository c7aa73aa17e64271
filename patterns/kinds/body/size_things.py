"""Sizes of things: a garment on its own, a list of goods, a count, a range that a shop has."""

from __future__ import annotations

from patterns.kinds.body.size_values import Size, find_size
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.unknown import is_strange
from patterns.steps.draft import Fired
from patterns.steps.message import Message

_TIMES = frozenset("×*")


def is_one_garment(message: Message, anchor: Fired) -> bool:
    """The coat, L; на мне платье L: one garment has a size of its own, dresses and clothes have the writer's."""
    is_plural = message.tokens[anchor.end - 1].text.endswith(message.grammar.plural_endings)
    is_all = is_plural or message.at(anchor.start, "all_clothes") is not None
    named = message.at(anchor.start, "garment_word")
    if message.at(anchor.start, "that_garment") is not None:
        return not message.has_in("self", *message.clause(anchor.start))  # "الفستان لارج"
    if is_all or named is None or named.language not in ("en", "ru"):
        return False
    return not message.has_in("shoe", *message.clause(anchor.start))


def is_at_shop(message: Message, anchor: Fired) -> bool:
    """An XS at that one shop; в Lime беру S: a Latin word that nobody knows behind a Russian "in" is a shop too."""
    first, last = message.segment(anchor.start)
    at_shop = message.grammar.at_shop
    pointed = [
        m for shop in message.list_in("firm", first, last) for m in message.list_in("pronoun", first, shop.start)
    ]
    if any(m.start > first and message.tokens[m.start - 1].text in at_shop for m in pointed):
        return True
    if _is_headed_by_shop(message, first):
        return True
    return anchor.rule.language == "ru" and any(
        message.tokens[i].text in at_shop and message.tokens[i + 1].script == "latin" and is_strange(message, i + 1)
        for i in range(first, last - 1)
    )


def _is_headed_by_shop(message: Message, first: int) -> bool:
    """At Zara, I'm an M; min zara bas akhith medium: the part right before [first, ...) only says which shop."""
    if first == 0 or message.clause_of[first - 1] != message.clause_of[first]:
        return False
    start, last = message.segment(first - 1)
    if message.tokens[start].text not in message.grammar.at_shop:
        return False
    return message.has_in("brand", start + 1, last) and message.has_only(("brand",), start + 1, last)


def is_that_one(message: Message, anchor: Fired, size: Size) -> bool:
    """The t-shirt is M now: one piece that is pointed at, with no "I" in the clause."""
    first, last = message.clause(anchor.start)
    if anchor.start == first or message.tokens[anchor.start - 1].text not in message.grammar.one_piece:
        return False
    return size.start > anchor.end and not message.has_in("self", first, last)


def is_class(message: Message, index: int) -> bool:
    """An S-Class, an M-series: a letter tied to a word behind it."""
    if index + 1 >= len(message.tokens) or message.tokens[index].text != "-":
        return False
    return message.tokens[index].start == message.tokens[index - 1].end and message.tokens[index + 1].kind == "word"


def _is_listed(message: Message, size: Size) -> bool:
    """Dress, size L, silk, 900 AED: a garment opens the clause and a price stands in it, with no "I" about."""
    first, last = message.clause(size.start)
    if message.has_in("self", first, last) or message.has_in("budget_word", first, last):
        return False
    if message.has_in("currency", size.end, last) and not message.has_in("limit_word", first, last):
        return True  # "item 12, linen shirt, size M, 240 AED"
    is_garment = any(message.at(first, name) is not None for name in ("garment_word", "specific_item", "half"))
    return is_garment and (message.has_in("currency", first, last) or message.has_in("price", first, last))


def counts_garments(message: Message, anchor: Fired, size: Size) -> bool:
    """30 jeans in my closet: a number at the head of its segment that goes on behind the garment counts."""
    first, last = message.segment(size.start)
    if size.form != "number" or size.end != anchor.start:
        return False
    return (size.start == first and anchor.end < last) or message.tokens[size.start - 1].text in message.grammar.owning


def opens_range(message: Message, size: Size) -> bool:
    """Sizes S to XXL: what a shop has."""
    last = message.clause(size.end - 1)[1]
    if "-" in size.value or size.end + 1 >= last:
        return False
    is_tied = message.at(size.end, "range_word") is not None or message.tokens[size.end].text == "-"
    return is_tied and find_size(message, size.end + 1, last) is not None


def is_asked_about(message: Message, size: Size) -> bool:
    """Куртка M, брюки L, кому отдать? With no "I" about, a question that ends the clause is about the things."""
    first, last = message.clause(size.start)
    return message.tokens[last - 1].text == "?" and not message.has_in("self", first, last)


def labels_item(message: Message, anchor: Fired) -> bool:
    """The dress, size M: one garment named right before the size word, with no "I" about."""
    before = [m for m in message.ends[anchor.start] if m.category in ("half", "garment_word", "all_clothes")]
    if not before or any(m.category == "all_clothes" or _is_mine(message, m) for m in before):
        return False
    first, _ = message.segment(anchor.start)
    is_heading = min(m.start for m in before) == first  # "jeans size 27": the user's own data
    return not is_heading and not message.has_in("self", *message.segment(anchor.start))


def is_some(message: Message, anchor: Fired) -> bool:
    """ "The size M", "a guard in size M": with no "I" about, a thing's."""
    before = anchor.start - 1
    first, last = message.segment(anchor.start)
    if before < first or message.tokens[before].text not in message.grammar.some_size:
        return False
    return not message.has_in("self", first, last)


def _is_mine(message: Message, match: LexiconMatch) -> bool:
    """بنطلوني: "my" is attached."""
    token = message.tokens[match.end - 1]
    return len(token.text) > 3 and token.script == "arabic" and token.text.endswith(message.grammar.own_letters)


def is_measured(message: Message, index: int) -> bool:
    """40 by 60, 40x60: a thing with two sides."""
    if index + 1 >= len(message.tokens) or message.tokens[index + 1].kind != "number":
        return False
    by = message.tokens[index].text
    return by in _TIMES or by in message.grammar.times_letters or message.at(index, "side_by_side") is not None


def is_worn_out(message: Message, start: int) -> bool:
    """Платье уже не M, а L: a garment opens the segment, and no "I" stands in it."""
    first, last = message.segment(start)
    named = message.at(first, "garment_word")
    is_one = named is not None and not message.tokens[first].text.endswith(message.grammar.plural_endings)
    return is_one and not message.has_in("self", first, last)


def is_shod(message: Message, size: Size) -> bool:
    """Размер 37, узкая стопа, ищу лодочки: the clause speaks of feet or asks for shoes, and of no clothes."""
    first, last = message.clause(size.start)
    if "shoe" not in message.marks or any(message.has_in(name, first, last) for name in ("garment_word", "half")):
        return False
    for shoe in message.list_in("shoe", first, last):
        start, end = message.segment(shoe.start)
        if start <= size.start < end or any(token.kind == "number" for token in message.tokens[start:end]):
            continue
        is_asked = message.has_in("request", start, shoe.start + 1) and not message.has_in("negator", start, shoe.start)
        if is_asked or message.tokens[shoe.start].text.startswith(message.grammar.of_feet):
            return True
    return False


def is_of_goods(message: Message, size: Size, kind: str) -> bool:
    """Whether a size is written on a thing, stands in a list of goods or is asked for in a colour."""
    if kind in ("bare", "half", "garment") and _is_listed(message, size):
        return True
    return _is_left(message, size) or _is_on_label(message, size) or _is_in_shade(message, size)


def _is_left(message: Message, size: Size) -> bool:
    """Остался только 44 размер: what a shop has left."""
    first, last = message.segment(size.start)
    left = message.find_in("stock", first, size.start)
    return (
        left is not None
        and message.tokens[left.start].text.startswith(message.grammar.left_over_beginnings)
        and not message.has_in("self", first, last)
    )


def _is_on_label(message: Message, size: Size) -> bool:
    """The tag says 100% wool, size M; on the box: size 40. With no "I" in the clause it is written on the thing."""
    first, last = message.clause(size.start)
    if message.has_in("self", first, last):
        return False
    is_mixed = any(token.text == "%" for token in message.tokens[first : size.start])
    return is_mixed or message.has_in("label_word", first, size.start)


def _is_in_shade(message: Message, size: Size) -> bool:
    """Size M in the red, please; размер М в чёрном: which one is asked for."""
    place, last = size.end, message.segment(size.start)[1]
    if message.at(place, "decoy") is not None and message.tokens[place].text in message.grammar.in_the_red:
        return True
    if place + 1 >= last or message.tokens[place].text not in message.grammar.in_shade:
        return False
    place += 1 + (message.tokens[place + 1].text in message.grammar.the_word)
    return place < last and message.at(place, "colour") is not None


def is_length(message: Message, size: Size) -> bool:
    """The L32 of W30 L32."""
    before = message.tokens[size.start - 1] if size.start else None
    if before is None or before.text not in message.grammar.length_letter:
        return False
    return before.end == message.tokens[size.start].start
