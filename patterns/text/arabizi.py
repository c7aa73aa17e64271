"""What the spellings of one Arabizi word share: letters heard alike are written in a dozen ways.

Two keys. The skeleton keeps vowels and tells most words apart; the bones are consonants alone, for words whose vowels
are left out or written as they are heard (sa7bti, sa7bety; m5mal, mokhmal).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import TypeVar

from patterns.text.caches import empty_with_stores

M = TypeVar("M")

MIN_BONES = 3
AGREEING = 0.7  # of the words of one key, how many must mean the same
FEW_BONES = 3  # so few consonants tell words apart only together with what is written for u and w
ARTICLES = ("wel", "wil", "wal", "bel", "bil", "lel", "lil", "el", "al", "il")
_MIN_STEM = 3
_MAX_CACHED = 20_000

_DOTTED = {"7": "5", "3": "8", "9": "d", "6": "d"}  # a dot over the letter, written as an apostrophe on either side
_DOTTED_LETTER = re.compile(
    r"(?<=[^\W\d_])'([3679])'\1(?=[^\W\d_])|([3679])\2?'(?:\2')?(?=[^\W\d_])|(?<=[^\W\d_])(?:([69])'(?![\w'])|'([69])(?![\w']))|(?<=[^\W\d_])'([3679])(?=[^\W\d_'])|(?<!\w)'([3679])(?=[^\W\d_]{2})"
    r"|(?<=[^\W\d_])'([69])\7(?=[^\W\d_])|(?<=[^\W\d_][2578])'([69])(?=[^\W\d_]{2})"
)
_MINE = ("i", "y", "ee")
_SKELETON_STEPS = (("kh", "5"), ("gh", "8"), ("sh", "$"), ("ch", "$"), ("th", "t"), ("dh", "d"))
_SKELETON_LETTERS = str.maketrans("796eyow", "hstiiuu", "2")
_SOUND_STEPS = (("kh", "5"), ("gh", "8"), ("sh", "$"), ("ch", "$"), ("th", "d"), ("dh", "d"))
_LETTERS = str.maketrans("796xqgpvcz4eo", "hst588bfkddiu")
_NO_VOWELS = str.maketrans("", "", "aiuwy")
_NO_SHORT = str.maketrans("w", "u", "ai")
_LONE_Y = re.compile("y(?![aiu])")
_OUTLINE = str.maketrans("kcx59$gq8dz46vp", "ssssssgggttttfb", "aeiouwyh72")
_REPEATED = re.compile(r"(.)\1+")
_DIGIT_INSIDE = re.compile(
    r"[^\W\d_][235679][^\W\d_]|^[23579][^\W\d_]{3}|[^\W\d_]{2}[23579]$|^[68](?!am|pm)[^\W\d_]{4}"
)
_FINAL_H = ("ah", "eh", "ih", "oh", "uh")  # of a feminine noun, where it is no "his"
_VOWELS = frozenset("aiu")
MAX_SPELLINGS = 400  # of one word
_UNIT = re.compile(r"kh|gh|th|dh|sh|ee|oo|ou|a[iy]|e[iy]|aa|(.)\1|.")
_WAYS = {
    "kh": ("kh", "5"), "5": ("5", "kh"), "gh": ("gh", "8"), "th": ("th", "dh", "z"), "dh": ("dh", "th", "z"),
    "9": ("9", "s"),
    "6": ("6", "t"), "66": ("66", "6", "tt", "t"), "ee": ("ee", "i", "e", "ei"), "oo": ("oo", "ou", "o", "u"),
    "ai": ("ai", "ay", "ei", "ey"), "ay": ("ay", "ai", "ei", "ey"), "aa": ("aa", "a"),
}  # fmt: skip
_SHORT_WAYS = {
    "a": ("a", "e", ""), "i": ("i", "e", ""), "e": ("e", "i", ""), "o": ("o", "u", ""), "u": ("u", "o", ""),
}  # fmt: skip
_LAST_WAYS = {"i": ("i", "y", "ee", "e"), "a": ("a", "ah", "e", "eh")}


def has_arabizi_digit(word: str) -> bool:
    """Whether figures stand for letters in the word (7asasiya, a3raf, ma2)."""
    return not word.isalpha() and word.isascii() and _DIGIT_INSIDE.search(word) is not None


def fold_dotted(text: str, offsets: Sequence[int]) -> tuple[str, Sequence[int]]:
    """7'amees, ab3'a, '9ayyeg: a letter for the figure and its apostrophe, offsets kept."""
    for found in reversed(list(_DOTTED_LETTER.finditer(text))):
        start, end = found.span()
        figure = next(filter(None, found.groups()))
        text = text[:start] + _DOTTED[figure] + text[end:]
        offsets = [*offsets[: start + 1], *offsets[end:]]
    return text, offsets


def _get_first(run: re.Match[str]) -> str:
    """One letter of a run; a template would be looked up and filled for each word."""
    return run[1]


@lru_cache(maxsize=_MAX_CACHED)
def make_skeleton(word: str) -> str:
    """What the spellings of one word share, vowels included: 7assaseyyah and hasasiya are the same."""
    if "h" in word:
        for loose, tight in _SKELETON_STEPS:
            word = word.replace(loose, tight)
    word = _REPEATED.sub(_get_first, word.translate(_SKELETON_LETTERS))
    return word[:-1] if len(word) > 3 and word.endswith("h") else word


@lru_cache(maxsize=_MAX_CACHED)
def list_bones(word: str) -> tuple[str, ...]:
    """The consonants of a word and whether it ends in "my"; empty for too few.

    Two readings where a 2 may be a glottal stop or a qaf. Words of few consonants keep what is written for u and w
    (soof is not saif), and a y before a vowel.
    """
    if "2" not in word:
        bones = _make_bones(word)
        return (bones,) if bones else ()
    readings = (_make_bones(word.replace("2", heard)) for heard in ("q", ""))
    return tuple(dict.fromkeys(bones for bones in readings if bones))


for _kept in (make_skeleton, list_bones):
    empty_with_stores(_kept.cache_clear)


def _make_bones(word: str) -> str:
    if "h" in word:
        for loose, tight in _SOUND_STEPS:
            word = word.replace(loose, tight)
    letters = _REPEATED.sub(_get_first, word.translate(_LETTERS))
    first = "a" if letters[:1] in _VOWELS else letters[:1]
    last = "i" if len(letters) > MIN_BONES and word.endswith(_MINE) else ""
    bones = first + letters[1:].translate(_NO_VOWELS)
    if len(bones) <= FEW_BONES:
        bones = _REPEATED.sub(_get_first, first + _keep_glides(letters[1:]))
    enough = MIN_BONES if word.isalpha() else MIN_BONES - len(last)  # a figure in it tells 3emmi from an English word
    return bones + last if len(bones) >= enough else ""


def _keep_glides(letters: str) -> str:
    return (_LONE_Y.sub("", letters) if "y" in letters else letters).translate(_NO_SHORT)


def list_skeletons(word: str) -> tuple[str, ...]:
    """The skeleton of a word that is long enough to be told by it."""
    return (make_skeleton(word),) if len(word) > _MIN_STEM else ()


def choose_words(
    meanings: Mapping[str, Set[object]],
    *,
    make_keys: Callable[[str], Iterable[str]],
    preferred: Set[str] = frozenset(),
) -> dict[str, str]:
    """For each key one word that stands for all its spellings: key -> word.

    `meanings`: what each known word says by itself; a word with none is only part of longer expressions and agrees
    with all. A key stands for nothing where too few of its words share a meaning. `preferred` words are chosen before
    others, then those with the most meanings.
    """
    groups: dict[str, list[str]] = {}
    for word in sorted(meanings):
        for key in make_keys(word):
            groups.setdefault(key, []).append(word)
    chosen: dict[str, str] = {}
    for key, words in groups.items():
        telling = [word for word in words if meanings[word]]
        counts = Counter(meaning for word in telling for meaning in meanings[word])
        most, count = max(counts.items(), key=lambda item: (item[1], str(item[0])), default=(None, 0))
        if count < AGREEING * len(telling):
            continue
        agreed = [word for word in telling if most in meanings[word]] or words
        chosen[key] = max(agreed, key=lambda word: (word in preferred, len(meanings[word]), -len(word)))
    return chosen


def make_outline(word: str) -> str:
    """The consonants of a word, as one where they can be written for each other: the same for all that sounds alike.

    Of a word with a 2 in it, which may be one, it tells nothing.
    """
    return _REPEATED.sub(_get_first, word.translate(_OUTLINE))


def list_outlines(skeletons: Iterable[str], bones: Iterable[str]) -> frozenset[str]:
    """The outlines of all that a word can be heard as, for `find_word`."""
    return frozenset(map(make_outline, (*skeletons, *bones)))


def find_word(
    word: str, skeletons: Mapping[str, str], bones: Mapping[str, str], *, outlines: Set[str] | None = None
) -> str | None:
    """The known spelling of an unknown Arabizi word, its article apart from it; None when there is none.

    `outlines`: of all skeletons and bones. They tell of most words that there is nothing to find, in a fraction of the
    time that it takes to look.
    """
    found = _find_whole(word, skeletons, bones, outlines)
    if found is not None or not word.startswith(ARTICLES):
        return found
    for article in ARTICLES:
        stem = word[len(article) :]
        if len(stem) >= _MIN_STEM and word.startswith(article):
            found = _find_whole(stem, skeletons, bones, outlines)
            return None if found is None else f"{_split_article(article)} {found}"
    return None


def _find_whole(
    word: str, skeletons: Mapping[str, str], bones: Mapping[str, str], outlines: Set[str] | None
) -> str | None:
    if outlines is not None and "2" not in word and make_outline(word) not in outlines:
        return None
    known = skeletons.get(make_skeleton(word)) if len(word) > _MIN_STEM else None
    if known is not None:
        return known
    keys = list_bones(word)
    if word.endswith(_FINAL_H):
        keys = (*keys, *list_bones(word[:-1]))
    for key in keys:
        if key in bones:
            return bones[key]
    return None


def _split_article(article: str) -> str:
    return f"{article[0]} el" if len(article) > 2 else "el"


def list_representatives(meanings: Mapping[str, Set[object]], bones: Mapping[str, str]) -> dict[str, str]:
    """The word that stands for each of the words, where another one does and says nothing else."""
    found: dict[str, str] = {}
    for word, said in meanings.items():
        other = next((bones[key] for key in list_bones(word) if key in bones), word)
        if other != word and (not said or said & meanings.get(other, frozenset())):
            found[word] = other
    return found


def list_shared_meanings(meanings: Mapping[str, Set[M]], words: Iterable[str]) -> dict[str, set[M]]:
    """What else each of the words says: what those say that sound like it, where all of them share a meaning."""
    groups: dict[str, list[str]] = {}
    for word in sorted(words):
        for key in list_bones(word) if meanings[word] else ():
            groups.setdefault(key, []).append(word)
    found: dict[str, set[M]] = {}
    for alike in groups.values():
        said = [meanings[word] for word in alike]
        if not frozenset.intersection(*map(frozenset, said)):
            continue
        every = set[M]().union(*said)
        for word in alike:
            if every - meanings[word]:
                found.setdefault(word, set()).update(every - meanings[word])
    return found


def list_lonely(
    shared: Mapping[str, set[tuple[str, str]]], own: Iterable[str], categories: Set[str]
) -> dict[str, set[tuple[str, str]]]:
    """Of the words that other languages have too, those that sound like no word of Arabizi alone (dirham, nylon).

    Only of these categories: their words are worth it.
    """
    taken = {bones for word in own for bones in list_bones(word)}
    return {
        word: said
        for word, said in shared.items()
        if any(category in categories for category, _ in said) and taken.isdisjoint(list_bones(word))
    }


def list_spellings(word: str) -> set[str]:
    """The ways in which a short word is written: 3indi, 3endi, 3ndi, 3indy. At most some hundreds, itself left out."""
    ways = [""]
    for unit in _UNIT.finditer(word):
        usual = _list_ways(word, unit)
        ways = [before + way for before in ways for way in usual][:MAX_SPELLINGS]
    return {way for way in ways if len(way) > 1} - {word}


def _list_ways(word: str, unit: re.Match[str]) -> tuple[str, ...]:
    text = unit[0]
    if unit.end() == len(word) and text in _LAST_WAYS:
        return _LAST_WAYS[text]
    if len(text) == 2 and text[0] == text[1] and text not in _WAYS:
        return text, text[0]
    if text in _SHORT_WAYS:
        return _SHORT_WAYS[text] if unit.start() > 0 and unit.end() < len(word) else (text,)
    return _WAYS.get(text, (text,))


def list_close(words: Iterable[str], meanings: Mapping[str, Set[object]], *, taken: Set[str]) -> dict[str, str]:
    """Of spellings the word that they stand for: only of one of the words, and no word that says something else.

    `taken`: words of other languages.
    """
    found: dict[str, str] = {}
    doubtful: set[str] = set(words := frozenset(words))
    for word in sorted(words):
        for spelling in list_spellings(word) - taken:
            said = meanings.get(spelling, frozenset())
            if spelling in found or (said and not said & meanings.get(word, frozenset())):
                doubtful.add(spelling)
            found[spelling] = word
    return {spelling: word for spelling, word in found.items() if spelling not in doubtful}
