"""One letter wrong: the word that is meant by an unknown one (polyster, никил, аллергея), among few that matter."""

from __future__ import annotations

import re
from collections.abc import Iterable

from patterns.text.caches import WordCache, make_room

MIN_LENGTH = 6  # of the word that is meant: shorter ones are one letter away from too much
MIN_TYPED = 5
MAX_LENGTH = 16
MAX_MET = 20_000  # words that are remembered
_VOWELS = frozenset("aeiouyаеиоуыэюяё")
_REPEATED = re.compile(r"(.)\1+")


class Typos:
    """Words of which a typo is mended. Free to share between threads: what was asked for is only remembered."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._near: dict[str, tuple[str, ...]] = {}
        self._lengths: dict[str, set[int]] = {}  # of words and typos, by their first and last letter
        near: dict[str, set[str]] = {}
        for word in words:
            if MIN_LENGTH <= len(word) <= MAX_LENGTH and word.isalpha():
                single = _undouble(word)
                for key in (single, *_drop_one(single)):
                    near.setdefault(key, set()).add(word)
                    self._lengths.setdefault(key[0] + key[-1], set()).add(len(key))
        self._near = {key: tuple(sorted(found)) for key, found in near.items()}
        self._mended: WordCache[str, str] = WordCache()  # words that were asked for

    def __bool__(self) -> bool:
        return bool(self._near)

    def mend(self, word: str) -> str:
        """The one known word that `word` misses by a letter: left out, added, swapped, doubled, a vowel for another.

        The first and the last letter must be right, so that no ending of a Russian verb or noun becomes another; a
        word that could be two is left as it is.
        """
        if not MIN_TYPED <= len(word) <= MAX_LENGTH or not self._is_near(word):
            return word  # as most words, which are not even remembered
        meant = self._mended.get(word)
        if meant is None:
            if len(self._mended) >= MAX_MET:
                make_room(self._mended)
            meant = self._mended[word] = self._find_meant(word)
        return meant

    def _is_near(self, word: str) -> bool:
        """Whether a word has the edges of a known one, and about its length."""
        lengths = self._lengths.get(word[0] + word[-1])
        if lengths is None:
            return False
        length = len(_undouble(word))
        return length in lengths or length - 1 in lengths

    def _find_meant(self, word: str) -> str:
        if not word.isalpha():
            return word
        single = _undouble(word)
        keys = [single, *_drop_one(single)]
        if self._near.keys().isdisjoint(keys):
            return word  # as nearly every word
        meant = {m for key in keys for m in self._near.get(key, ()) if _is_slip(word, m)}
        if not meant:
            return word
        stems = {m[: len(m) - 2] for m in meant}
        return min(meant, key=lambda m: (abs(len(m) - len(word)), m)) if len(stems) == 1 else word


def _undouble(word: str) -> str:
    return _REPEATED.sub(lambda run: run[1], word)


def _drop_one(word: str) -> list[str]:
    """The word without each of its inner letters."""
    return [word[:i] + word[i + 1 :] for i in range(1, len(word) - 1)]


def _is_slip(typed: str, meant: str) -> bool:
    if typed[0] != meant[0] or typed[-1] != meant[-1]:
        return False
    if _undouble(typed) == _undouble(meant):
        return True
    if len(typed) != len(meant):
        shorter, longer = sorted((typed, meant), key=len)
        return len(longer) - len(shorter) == 1 and shorter in _drop_one(longer)
    wrong = [i for i in range(len(typed)) if typed[i] != meant[i]]
    if len(wrong) == 1:
        return typed[wrong[0]] in _VOWELS and meant[wrong[0]] in _VOWELS
    is_swap = len(wrong) == 2 and wrong[1] == wrong[0] + 1
    return is_swap and typed[wrong[0]] == meant[wrong[1]] and typed[wrong[1]] == meant[wrong[0]]


NO_TYPOS = Typos()
