"""What a statement says, apart from whether it says yes or no to it: for contradictions of opposite polarity. Pure."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from patterns.text.arabic import stem_arabic
from patterns.text.data_files import read_forms, read_words
from patterns.text.stems import stem_english, stem_russian
from patterns.text.tokens import clean_text

_WORD: Final = re.compile(r"[^\W_]+(?:['’._/\-][^\W_]+)*[+#]*")
_TRUE: Final = "true"
_APOSTROPHE: Final = str.maketrans("’", "'")
_PLAIN: Final = str.maketrans("ё", "е")


def split_stance(text: str) -> tuple[str, bool]:
    """What a statement is about as stems in order, and whether it denies it.

    Two statements with the same first part and another second one contradict each other. Articles, forms of "to be" and
    negating words are left out of the first part; other small words stay, for "before" and "after" differ.
    """
    words = _split(text)
    answer = read_forms("yes_no.txt").get(" ".join(words))
    if answer is not None:
        return _TRUE, answer != _TRUE
    stems: list[str] = []
    denials = 0
    for word in words:
        base = read_forms("negated_forms.txt").get(word)
        if word in read_words("negators.txt") or (base is not None and base != word):
            denials += 1
            continue
        opposite = _read_opposites().get(word)
        denials += opposite is not None
        if word not in read_words("carriers.txt"):
            stems.append(_stem(opposite or word))
    return " ".join(stems), denials % 2 == 1


def _split(text: str) -> list[str]:
    return _WORD.findall(clean_text(text).casefold().translate(_APOSTROPHE).translate(_PLAIN))


@cache
def _read_opposites() -> dict[str, str]:
    return {form: base for form, base in read_forms("antonyms.txt").items() if form != base}


def _stem(word: str) -> str:
    if word.isascii():
        return stem_english(word)
    first = word[0]
    if "\u0400" <= first <= "\u04ff":
        return stem_russian(word)
    return stem_arabic(word) if "\u0600" <= first <= "\u06ff" else word
