"""Reasons why a size near an anchor is not the user's own."""

from __future__ import annotations

from patterns.kinds.body.size_numbers import ends_description, find_number_veto
from patterns.kinds.body.size_things import (
    counts_garments,
    is_asked_about,
    is_at_shop,
    is_class,
    is_of_goods,
    is_one_garment,
    is_some,
    is_that_one,
    is_worn_out,
    labels_item,
    opens_range,
)
from patterns.kinds.body.size_values import Size, find_size
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.persons import continues_about_other, find_subject, person_in
from patterns.statements.strangers import heads_chart, names_thing_before
from patterns.statements.trades import is_told_of_work
from patterns.statements.unknown import has_vocabulary, is_out_of_place, is_strange, is_told_of_thing, names_thing_first
from patterns.statements.vetoes import find_statement_veto, is_negated
from patterns.steps.draft import Fired
from patterns.steps.message import Message

_WEAK = ("bare", "half", "garment", "usual", "system", "fits", "beside")
_LABELLING = ("own", "wear", "be", "compared")
_OFFERS = ("please", "currency", "price", "at_price")


def find_size_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """Why a size that an anchor reaches is not the user's own; None when nothing speaks against it."""
    return (
        find_number_veto(message, anchor, size)
        or _find_statement_veto(message, anchor, size)
        or _find_owner_veto(message, anchor, size)
        or _find_object_veto(message, anchor, size)
        or _find_wording_veto(message, anchor, size)
        or _find_thing_veto(message, anchor, size)
        or _find_context_veto(message, anchor, size)
    )


def _find_statement_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """The clause: asked, supposed, to come, denied."""
    start, end = min(anchor.start, size.start), max(anchor.end, size.end)
    kind = anchor.rule.kind
    veto = find_statement_veto(message, size.start, end) or find_statement_veto(message, anchor.start, end)
    if veto is not None:
        return veto
    if _is_to_come(message, start, size):
        return "wish"
    if message.tokens[size.end - 1].text in message.grammar.class_letters and is_class(message, size.end):
        return "thing"
    if size.end < len(message.tokens) and message.tokens[size.end].text in message.grammar.ish_words:
        return "hedge"  # "large-ish"
    is_denied = is_negated(message, anchor.start, reach=1 if kind == "own" else 3)
    if is_denied or (is_negated(message, size.start, reach=2) and kind != "garment"):
        return "negated"
    return None


def _find_owner_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """Whose size it is, and of which shop or brand."""
    start, end = min(anchor.start, size.start), max(anchor.end, size.end)
    kind = anchor.rule.kind
    subject = find_subject(message, start, end) if kind not in ("own", "wear") else "self"
    if subject == "other" or (subject is None and continues_about_other(message, start)):
        return "other_subject"
    if kind == "own" and _names_relation(message, anchor):
        return "other_subject"
    if kind == "bare" and is_told_of_work(message, start):
        return "at_work"
    if kind in ("half", "garment") and person_in(message, anchor.end, size.start):
        return "other_subject"  # "البنطلون مقاسه 44"
    first = anchor.end if start == anchor.start else start + 1
    if kind in ("own", "wear", "beside") and _names_other(message, first, end):
        return "other_subject"
    places = (message.segment(size.start), message.segment(anchor.start))
    if any(message.has_in("brand", *place) for place in places) or is_at_shop(message, anchor):
        return "brand_scoped"
    return None


def _find_object_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """What the size is said of: a thing that is asked for, measured or sold."""
    start, end = min(anchor.start, size.start), max(anchor.end, size.end)
    kind = anchor.rule.kind
    if kind != "own" and _is_request(message, start, end, is_wear=kind == "wear" and anchor.start == start):
        return "request"
    if kind not in ("own", "wear") and names_thing_before(message, start):
        return "thing"
    if kind != "own" and heads_chart(message, size.end):
        return "product"
    if kind in ("be", "wear") and _is_denied_between(message, anchor, size):
        return "negated"
    if kind != "own" and _names_thing(message, message.segment(start)[0], start + (kind != "system")):
        return "thing"
    if kind == "own" and size.start < anchor.start and _names_thing(message, message.segment(start)[0], start):
        return "thing"
    spans = {"usual": message.clause, "bare": message.clause}
    stop = spans.get(kind, message.segment)(size.start)[1]
    return "product" if kind != "own" and message.has_in("stock", size.end, stop) else None


def _find_wording_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """The words right around the value, for each kind of statement."""
    kind = anchor.rule.kind
    if kind == "system" and _counts_noun(message, size.end):
        return "not_a_size"
    if kind == "be" and _is_receiver(message, anchor, size):
        return "request"
    if kind == "wear" and size.start > anchor.start and _takes_one(message, size.start):
        return "request"
    if any(token.text in message.grammar.asks_which for token in message.tokens[size.start : size.end]):
        return "question"  # "آخذ M ولا L"
    if message.has_in("disposal", *message.clause(size.start)) or (kind in _WEAK and is_of_goods(message, size, kind)):
        return "product"
    if kind == "usual" and not _says_only(message, anchor, size):
        return "not_a_size"
    if kind == "compared" and not _is_compared(message, size):
        return "not_a_size"
    if kind == "be" and _is_refused(message, size):
        return "negated"
    if kind == "be" and anchor.rule.language == "ru" and is_worn_out(message, min(anchor.start, size.start)):
        return "thing"
    if kind == "between" and message.has_in("question", size.end, message.clause(size.start)[1]):
        return "question"
    if kind == "be" and size.start > anchor.end and message.tokens[anchor.end].text in message.grammar.came_for_me:
        return "request"  # "طلعت لي M بالسحب" came with a draw
    return None


def _find_thing_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """A garment of that size, one of several, or one that is remarked on."""
    kind = anchor.rule.kind
    if kind == "bare" and opens_range(message, size):
        return "product"
    if kind == "half" and counts_garments(message, anchor, size):
        return "not_a_size"
    is_english = anchor.rule.language == "en"
    if kind == "bare" and is_english and is_told_of_thing(message, min(anchor.start, size.start)):
        return "thing"
    if kind in ("half", "garment") and is_asked_about(message, size):
        return "question"
    between = message.tokens[anchor.end : size.start]
    if kind in ("half", "garment") and any(token.text in message.grammar.came_out for token in between):
        return "thing"  # "البنطلون طلع لارج"
    return "description" if _is_remarked_on(message, anchor, size) else None


def _find_context_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """The segment and the whole message: an offer, a card, words that nobody knows."""
    start, end = min(anchor.start, size.start), max(anchor.end, size.end)
    kind, segment = anchor.rule.kind, message.segment(size.start)
    if kind in ("bare", "fits", "garment", "system") and _is_offer(message, segment, size):
        return "request"
    if kind == "bare" and (message.marks.get("card") or labels_item(message, anchor) or is_some(message, anchor)):
        return "product"
    if message.has_in("scope_size", *segment):
        return "scope"
    if kind == "half" and is_that_one(message, anchor, size):
        return "thing"
    if kind == "garment" and is_one_garment(message, anchor):
        return "thing"
    if kind in ("bare", "half", "garment") and names_thing_first(message, start):
        return "thing"
    is_told = kind in _LABELLING and anchor.rule.language in ("en", "ru")
    told_of = size.end + (size.end < segment[1] and message.tokens[size.end].text in message.grammar.in_what_way)
    if is_told and told_of < segment[1] and is_strange(message, told_of):
        return "description"  # "I'm XL levels of tired", "I'm XS in patience"
    if kind in _WEAK and has_vocabulary(anchor.rule) and is_out_of_place(message, start, end):
        return "not_understood"
    return None


def _is_to_come(message: Message, start: int, size: Size) -> bool:
    """By summer I'll be an S; watch me be a size S next year."""
    first, last = message.segment(start)[0], message.segment(size.end - 1)[1]
    later = message.list_in("to_be", size.end, last)
    return message.has_in("to_be", first, size.start) or any(match.canonical == "later" for match in later)


def _is_refused(message: Message, size: Size) -> bool:
    """Я L не просила: a "not" with a verb of its own right behind the size; "M не L" names another."""
    denied = message.at(size.end, "negator")
    last = message.segment(size.end - 1)[1]
    return denied is not None and denied.end < last and find_size(message, denied.end, last) is None


def _is_denied_between(message: Message, anchor: Fired, size: Size) -> bool:
    """I'm not really a size L; "not an M, an L" names another size between."""
    denied = message.find_last_in("negator", anchor.end, size.start)
    return denied is not None and not message.has_in("size_letter", denied.end, size.start)


def _says_only(message: Message, anchor: Fired, size: Size) -> bool:
    """Usually M: the adverb, the size and small words fill the segment; a bare number needs a word of size."""
    if size.form == "number" and not message.has_in("size_word", *message.segment(size.start)):
        return False
    first = message.segment(min(anchor.start, size.start))[0]
    last = message.segment(max(anchor.end, size.end) - 1)[1]
    small = (
        "self",
        "filler",
        "size_filler",
        "size_word",
        "oath",
        "greeting",
        "now",
        "lasting",
        "laugh",
        "conj",
        "article",
    )
    start, end = min(anchor.start, size.start), max(anchor.end, size.end)
    between = (anchor.end, size.start) if anchor.end <= size.start else (size.end, anchor.start)
    return all(message.has_only(small, *span) for span in ((first, start), between, (end, last)))


def _counts_noun(message: Message, index: int) -> bool:
    """UK 10 miles, EU 40 regulation: the number goes on to a noun that is no word of clothes."""
    if index >= len(message.tokens) or message.tokens[index].kind != "word":
        return False
    tied = (
        "conj", "self", "filler", "size_filler", "size_word", "garment_word", "half", "now", "laugh", "oath", "please",
        "contrast", "decoy", "lasting", "approximately", "greeting", "other", "size_tail", "tag", "vocative",
        "usual_word",
    )  # fmt: skip
    return not any(message.at(index, name) for name in tied)


def _is_compared(message: Message, size: Size) -> bool:
    """More of an M than an L."""
    last = message.clause(size.start)[1]
    place = size.end + (size.end < last and message.tokens[size.end].text == ",")
    than = message.at(place, "than") if place < last else None
    if than is None:
        return False
    place = than.end + (message.at(than.end, "article") is not None)
    other = find_size(message, place, last) if place < last else None
    if other is not None and (message.has_in("thing", other.end, last) or not ends_description(message, other.end)):
        return False
    return other is not None and not any(message.has_in(name, other.end, last) for name in ("relation", "other"))


def _names_thing(message: Message, start: int, end: int) -> bool:
    """ "This is M" speaks of a thing; the "that" of "note that I wear M" does not."""
    things = message.list_in("thing", start, end)
    things = [m for m in things if not message.is_covered(m, ("now", "scope", "date_phrase"))]  # "this year"
    grammar = message.grammar
    things = [
        m
        for m in things
        if message.tokens[m.start].text not in grammar.one_word or not message.ends_with(m.start, "number")
    ]
    if message.has_in("now", *message.segment(end - 1)):
        things = [m for m in things if message.tokens[m.start].text not in grammar.it_is]  # it's an S now
    return any(message.at(m.end, "self") is None or m.end - m.start > 1 for m in things)


def _is_receiver(message: Message, anchor: Fired, size: Size) -> bool:
    """ "They sent me an M", "the sale is now M": such a word says whose size it is only where it opens its segment."""
    if message.tokens[anchor.start].text not in message.grammar.only_first or size.start < anchor.start:
        return False
    before = anchor.start - 1
    if anchor.start <= message.segment(anchor.start)[0] or message.at(before, "size_letter") is not None:
        return False
    return not any(message.at(before, category) for category in ("conj", "contrast", "self", "number"))


def _is_remarked_on(message: Message, anchor: Fired, size: Size) -> bool:
    """ "What size? M looks small" answers nothing, "my size? M" does: what answers a heading stands alone."""
    heads = [i for i in range(anchor.end, size.start) if message.tokens[i].text == ":"]
    if not any(message.normal.text[message.tokens[i].start] == "?" for i in heads):
        return False
    return not ends_description(message, size.end)


def _takes_one(message: Message, start: int) -> bool:
    """I'll take the medium, akhith el M: this one."""
    article, grammar = message.tokens[start - 1].text, message.grammar
    is_taken = message.tokens[start - 2].text.startswith(grammar.taking)
    return article in grammar.the_word or (article in grammar.el_word and is_taken)


def _names_other(message: Message, start: int, end: int) -> bool:
    """A person between the trigger and the size, or right after it (my size is my sister's M)."""
    following = message.tokens[min(end, len(message.tokens) - 1)].text
    reach = 3 if following in message.grammar.for_words else 2  # for my sister
    last = min(end + reach, message.segment(end - 1)[1])
    people = [m for c in ("relation", "other") for m in message.list_in(c, start, last)]
    return any(m.start not in message.consumed and not _is_copula(message, m, end) for m in people)


def _names_relation(message: Message, anchor: Fired) -> bool:
    """У моего husband размер: the word that the trigger lets through between "my" and "size" is a person."""
    people = message.list_in("relation", anchor.start, anchor.end)
    return any(person.start not in message.consumed for person in people)


def _is_copula(message: Message, person: LexiconMatch, end: int) -> bool:
    """مقاسي هو XL: "he" right before the size that ends the statement is "is"."""
    return message.at(person.start, "copula") is not None and person.end == end - 1


def _is_offer(message: Message, segment: tuple[int, int], size: Size) -> bool:
    """ "Size M please" asks for one; a size beside a price is on a label."""
    prices = ("please", "price", "at_price") if message.has_in("budget_word", *segment) else _OFFERS
    found = [m for category in prices for m in message.list_in(category, *segment)]
    return any(not size.start <= m.start < size.end for m in found)  # the "euro" of "euro 40" is no money


def _is_request(message: Message, start: int, end: int, *, is_wear: bool) -> bool:
    """Words of asking for a thing; "I buy L" asks for none."""
    first = message.segment(start)[0]
    reasons = message.grammar.because_words
    first = max((i + 1 for i in range(first, start) if message.tokens[i].text in reasons), default=first)
    if message.has_in("request", first, start + (not is_wear)):
        return True
    last = message.segment(end - 1)[1]
    for conj in message.list_in("conj", end, last):
        if message.has_in("self", conj.end, min(last, conj.end + 2)):
            last = conj.start  # "I wear a 3XL and yes I want to look cute"
            break
    return message.has_in("request", end, last)
