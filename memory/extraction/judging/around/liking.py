"""What the writer says of a brand around its name: that it is the one they like (SPEC X-3). Pure; words are data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory.extraction.judging.endings import is_own_words
from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.surroundings import Span, is_in, list_named
from memory.extraction.judging.value_places import Place
from memory.extraction.judging.word_lists import list_phrases, list_words
from memory.extraction.judging.wordings import list_phrases_in, list_shopping_words
from patterns.steps.message import Message

OTHERS: Final = ("relation", "other", "negator", "wish", "conditional", "hedge", "contrast")
"""What may make the liking somebody else's, or none."""
WORN: Final = ("generic", "garment_word", "specific_item", "shoe")


def is_praised_brand(message: Message, place: Place) -> bool:
    """Bought at Zara again, best shop ever: behind the only brand named, the writer says it of "this brand" or "them".

    Nobody else, no "not", no "but" and no question stand in the message.
    """
    whole = (0, len(message.tokens))
    if len({match.canonical for match in message.list_in("brand", *whole)}) > 1:
        return False
    others = [match for name in OTHERS for match in message.list_in(name, *whole)]
    praising = list_named(message, whole, list_phrases("unrivalled_words"))
    if any(m.start not in praising and not is_in(message, m.start, list_words("shop_pronouns")) for m in others):
        return False
    if any(token.text == "?" for token in message.tokens):
        return False
    return any(span[0] >= place.end and is_own_words(message, span) for span in _list_praise(message, whole))


def is_about_clothes(message: Message) -> bool:
    """Whether anything speaks of shopping or of what is worn."""
    whole = (0, len(message.tokens))
    return any(message.has_in(name, *whole) for name in WORN) or bool(
        list_phrases_in(message, whole, list_shopping_words())
    )


def is_of_shop(message: Message, part: Span) -> bool:
    """Whether all the others that a part of the sentence names are the shop itself: "Mango, she is my favourite"."""
    people = [match for name in ("relation", "other") for match in message.list_in(name, *part)]
    return all(is_in(message, match.start, list_words("shop_pronouns")) for match in people)


def _list_praise(message: Message, part: Span) -> Iterator[Span]:
    yield from list_phrases_in(message, part, list_phrases("brand_praise"))
    shops = list_phrases_in(message, part, list_phrases("shop_words"))
    for liked in list_phrases_in(message, part, list_phrases("favourite_words")):
        for shop in shops:
            first, second = sorted((liked, shop))
            if 0 <= second[0] - first[1] < GATE.shop_reach and message.segment(first[0]) == message.segment(second[0]):
                yield first[0], second[1]
