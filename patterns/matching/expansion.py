"""Word forms of Russian aliases, made when staff save words or a pack is edited, never while a message is read."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

_CASES = ("nomn", "gent", "datv", "accs", "ablt", "loct")
_NUMBERS = ("sing", "plur")
_INFLECTED = ("NOUN", "ADJF", "PRTF")


@lru_cache(maxsize=1)
def _get_analyser() -> Any:
    import pymorphy3

    return pymorphy3.MorphAnalyzer()


def _parse(word: str) -> Any:
    """The reading that can be declined and is already a dictionary form, else the likeliest one."""
    readings = _get_analyser().parse(word)
    declined = [r for r in readings if r.tag.POS in _INFLECTED]
    base = [r for r in declined if r.normal_form.replace("ё", "е") == word.replace("ё", "е")]
    return (base or declined or readings)[0]


def _list_word_forms(word: str) -> set[str]:
    reading = _parse(word)
    if reading.tag.POS not in _INFLECTED:
        return {word}
    return {word, *(form.word for form in reading.lexeme if form.tag.POS in _INFLECTED)}


def _inflect_phrase(words: list[str], grammemes: set[str]) -> str | None:
    """All words put into one case and number; a word after the first noun stays as it is (день рождения)."""
    result: list[str] = []
    gender = next((r.tag.gender for r in map(_parse, words) if r.tag.POS == "NOUN"), None)
    seen_noun = False
    for word in words:
        reading = _parse(word)
        if seen_noun or reading.tag.POS not in _INFLECTED:
            result.append(word)
            continue
        seen_noun = reading.tag.POS == "NOUN"
        wanted = set(grammemes)
        if reading.tag.POS != "NOUN" and "sing" in wanted and gender:
            wanted.add(gender)
        form = reading.inflect(wanted)
        if form is None:
            return None
        result.append(form.word)
    return " ".join(result)


def expand_alias(alias: str) -> list[str]:
    """Every form of a Russian alias, sorted, the alias included. Needs pymorphy3; raises ImportError without it."""
    words = alias.split()
    if len(words) == 1:
        return sorted(_list_word_forms(words[0]))
    phrases = {alias}
    for case, number in product(_CASES, _NUMBERS):
        phrase = _inflect_phrase(words, {case, number})
        if phrase:
            phrases.add(phrase)
    return sorted(phrases)
