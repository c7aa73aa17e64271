"""One spelling for every spelling (SPEC I-4): letters, digits and noise folded, with offsets back to the raw text.

The same function normalises messages, lexicon aliases and the literals of rules, so that they always meet.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from patterns.text.arabizi import find_word, has_arabizi_digit
from patterns.text.caches import WordCache, make_room
from patterns.text.folded_pieces import MAX_CACHED_WORDS, Token, cut_words, fold_pieces, place_words, script_of
from patterns.text.typos import NO_TYPOS, Typos

MAX_CHARACTERS = 2000  # longer messages are pasted text, where precision is worst; also the bound on time
MAX_TOKENS = 250  # words and marks; dense text has the most to look up, and a chat message is a tenth of this
MAX_PASTED = 180  # the same of a text with more characters than are read: nobody types that, and it may be hostile
MAX_SPELT = 60  # unknown words of a text that are spelt anew, which is slow; prose has 50 of 250
MAX_STRETCH_VARIANTS = 8
MAX_OTHER_WORDS = 1  # known words, of three letters or more, in a text that one spelt word shows to be Arabizi
MIN_TELLING = 5  # letters that such a word has more than

_CYRILLIC_TO_LATIN = dict(zip("авекмнорстухіј", "abekmhopctyxij", strict=True))
_LATIN_TO_CYRILLIC = {latin: cyrillic for cyrillic, latin in _CYRILLIC_TO_LATIN.items()}
_ENDED = re.compile("([a-z]{3,})'?[\u0430-\u044f]{1,3}")  # a Latin word with a Russian ending
_ATTACHED = re.compile("\u0648?(?:\u0628?\u0627\u0644|\u0644\u0644)?([a-z]+)(?:\u064a|\u0646\u0627)?")  # al-, -i, -na
_DOUBLED = re.compile(r"([^\W\d_])\1")
_LATIN = re.compile("[a-z]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_STRETCH = re.compile(r"([^\W\d_])\1{2,}")


class NormalisedText(Struct, eq=False):
    """The folded text, its words and sentences. `clauses` are (first, last+1) token ranges cut at hard stops."""

    text: str
    offsets: Sequence[int]  # offsets[i]: raw offset of normalised character i; one more at the end
    words: Sequence[Token]  # the tokens as they are in all texts: their places are counted from their pieces
    clauses: tuple[tuple[int, int], ...]
    is_capped: bool = False
    plain: NormalisedText | None = None  # as it was typed, where words are spelt anew
    _tokens: tuple[Token, ...] | None = None

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The words with their places in the text; made when first asked for, as few texts are."""
        if self._tokens is None:
            self._tokens = place_words(self.text, self.words)
        return self._tokens

    def exchange_words(self, words: Sequence[Token], clauses: Sequence[tuple[int, int]]) -> NormalisedText:
        """The text cut into other clauses, with some of its marks read as other ones than are written."""
        pairs = zip(self.tokens, words, strict=True)
        tokens = tuple([t if t[0] == word[0] else t._replace(text=word[0]) for t, word in pairs])
        return replace(self, words=words, clauses=tuple(clauses), _tokens=tokens)

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The raw offsets of the normalised span, end exclusive."""
        if start >= end:
            return self.offsets[start], self.offsets[start]
        return self.offsets[start], self.offsets[end - 1] + 1


@dataclass(frozen=True, slots=True)
class Spelling:
    """What the rule set knows of spellings: its words, its Arabizi words, one known word for each skeleton.

    `typos` leads from a word with one letter wrong to the one that is meant (`patterns.text.typos`).
    """

    vocabulary: Set[str] = frozenset()
    arabizi_words: Set[str] = frozenset()
    skeletons: Mapping[str, str] = field(default_factory=dict)
    typos: Typos = NO_TYPOS
    bones: Mapping[str, str] = field(default_factory=dict)  # what the consonants of an Arabizi word lead to
    close: Mapping[str, str] = field(default_factory=dict)  # the Arabizi word that a usual spelling of it stands for
    outlines: Set[str] | None = None  # `list_outlines` of `skeletons` and `bones`, where they were worked out
    _respelt: dict[str, tuple[str, str]] = field(default_factory=WordCache, repr=False, compare=False)
    _settled: dict[str, None] = field(default_factory=WordCache, repr=False, compare=False)  # what nothing changes

    def list_noisy(self, tokens: Sequence[Token]) -> list[str]:
        """The words that are neither known nor sure to stay as they are, whatever stands around them."""
        settled = self._settled
        fresh = [token for token in tokens if token[0] not in settled]
        if not fresh:
            return []
        noisy: list[str] = []
        for token in fresh:
            if token[0] in self.vocabulary or token[3] == "mark":
                self._settle(token[0])
            elif token[3] == "word":
                noisy.append(token[0])
        return noisy

    def respell(self, word: str) -> tuple[str, str]:
        """The spelling that the vocabulary knows of a noisy word, and the one in a text of Arabizi, worked out once.

        Else the word as it is. One that stays as it is in any text, and tells nothing of a text, is settled.
        """
        known = self._respelt.get(word)
        if known is not None:
            return known
        new = _respell(word, self, False)
        heard = _respell(word, self, True) if word.isascii() or _LATIN.search(word) else new
        if new == heard == word and not _is_telling(word, self):
            self._settle(word)
        else:
            if len(self._respelt) >= MAX_CACHED_WORDS:
                make_room(self._respelt)
            self._respelt[word] = new, heard
        return new, heard

    def find_heard(self, word: str) -> str | None:
        """The known spelling of an unknown Arabizi word; None when there is none."""
        return find_word(word, self.skeletons, self.bones, outlines=self.outlines)

    def _settle(self, word: str) -> None:
        if len(self._settled) >= MAX_CACHED_WORDS:
            make_room(self._settled)
        self._settled[word] = None


NO_SPELLING = Spelling()


def _unmix(word: str) -> str:
    """A word with letters of two look-alike alphabets, written in the one that most of its letters belong to."""
    cyrillic = sum("\u0400" <= c <= "\u04ff" for c in word)
    latin = sum("a" <= c <= "z" for c in word)
    if not cyrillic or not latin:
        return word
    tables = (_LATIN_TO_CYRILLIC, _CYRILLIC_TO_LATIN)
    for table in tables if cyrillic >= latin else reversed(tables):  # the letter L has no double: ХХL is Latin
        folded = "".join(table.get(c, c) for c in word)
        if len({script_of(c) for c in folded if c.isalpha()}) == 1:
            return folded
    return word


def _unstretch(word: str, vocabulary: Set[str]) -> str:
    """A word with letters held down (neverrr, wooool): the spelling that the vocabulary knows, else one letter each."""
    if word in vocabulary or all(c in "xsml" for c in word):
        return word
    variants = [""]
    position = 0
    for run in _STRETCH.finditer(word):
        fixed = word[position : run.start()]
        variants = [v + fixed + run[1] * n for v in variants for n in (1, 2)][:MAX_STRETCH_VARIANTS]
        position = run.end()
    variants = [v + word[position:] for v in variants]
    return next((v for v in variants if v in vocabulary), variants[0])


def _get_letter(run: re.Match[str]) -> str:
    """One letter of a run; a template would be looked up and filled for each word."""
    return run[1]


def _respell(word: str, spelling: Spelling, is_arabizi: bool) -> str:
    """The spelling that the vocabulary knows of a noisy word; a word that it knows, or can do nothing for, as it is."""
    if word in spelling.close:
        return spelling.close[word] if is_arabizi or has_arabizi_digit(word) else word
    if word in spelling.vocabulary:
        return word
    is_mixed = not word.isascii() and _LATIN.search(word) is not None
    new = _unmix(word) if is_mixed else word
    ended = (_ENDED.fullmatch(word) or _ATTACHED.fullmatch(word)) if is_mixed else None
    if ended is not None and (ended[1] in spelling.vocabulary or ended[1] + "s" in spelling.vocabulary):
        return ended[1] if ended[1] in spelling.vocabulary else ended[1] + "s"  # dress'ы, turtleneck'и
    if _DOUBLED.search(new):
        if _STRETCH.search(new):
            new = _unstretch(new, spelling.vocabulary)
        if new not in spelling.vocabulary:
            single = _DOUBLED.sub(_get_letter, new)
            new = single if single in spelling.vocabulary else new
    is_loose = len(new) > 2 and new.isascii() and new not in spelling.vocabulary
    if is_loose and (is_arabizi or has_arabizi_digit(new)):
        if new[-1] == "s" and new[:-1] in spelling.arabizi_words:  # khalti's engagement
            return new[:-1]
        return spelling.find_heard(new) or spelling.typos.mend(new)
    return new if new in spelling.vocabulary else spelling.typos.mend(new)


def _rewrite(normal: NormalisedText, spelling: Spelling) -> tuple[str, Sequence[int]]:
    """Words that need respelling (stretched, of two alphabets, loose Arabizi, typos) replaced, offsets kept."""
    text, offsets, words = normal.text, normal.offsets, normal.words
    spelt = words if len(words) <= MAX_SPELT else _cap_unknown(words, spelling)
    unknown = spelling.list_noisy(spelt)
    if not unknown:
        return text, offsets
    spellings = {word: spelling.respell(word) for word in unknown}
    makes_difference = any(new != heard for new, heard in spellings.values())
    is_arabizi = makes_difference and _is_arabizi_text(words, unknown, spelling)
    changed = {word: heard if is_arabizi else new for word, (new, heard) in spellings.items()}
    changed = {word: new for word, new in changed.items() if new != word}
    if not changed:
        return text, offsets
    pieces: list[str] = []
    places: list[int] = []
    last = end = 0
    for word, _, _, kind, _, _ in spelt:
        start = text.find(word, end)
        end = start + len(word)
        if word in changed and kind == "word":
            pieces.extend((text[last:start], changed[word]))
            places.extend(offsets[last:start])
            places.extend(_fit(list(offsets[start:end]), len(changed[word])))
            last = end
    return "".join(pieces) + text[last:], [*places, *offsets[last:]]


def _cap_unknown(tokens: Sequence[Token], spelling: Spelling) -> Sequence[Token]:
    """The tokens of a long text among which no more words are unknown than are spelt anew."""
    known = spelling.vocabulary
    unknown = [place for place, token in enumerate(tokens) if token[3] == "word" and token[0] not in known]
    return tokens[: unknown[MAX_SPELT]] if len(unknown) > MAX_SPELT else tokens


def _is_arabizi(words: Iterable[str], spelling: Spelling) -> bool:
    """Whether one of the words is Arabizi by itself."""
    if not spelling.arabizi_words.isdisjoint(words):
        return True
    return any(has_arabizi_digit(word) for word in words if not word.isalpha())


def _is_arabizi_text(tokens: Sequence[Token], unknown: Sequence[str], spelling: Spelling) -> bool:
    """Whether a text has a word of Arabizi, or one that is spelt anew among hardly any other Latin words."""
    words = [token[0] for token in tokens if token[4] == "latin"]
    if _is_arabizi(words, spelling):
        return True
    known = 0
    for word in words:
        known += len(word) > 2 and word in spelling.vocabulary
        if known > MAX_OTHER_WORDS:
            return False
    return any(_is_telling(word, spelling) for word in unknown)


def _is_telling(word: str, spelling: Spelling) -> bool:
    """Whether a word is long enough, and sounds enough like a known one, to show its text to be Arabizi."""
    if len(word) <= MIN_TELLING or not word.isascii():
        return False
    return spelling.find_heard(word) is not None


def _fit(places: list[int], length: int) -> list[int]:
    """As many offsets as the new word has letters; the last keeps the last place, so spans cover the word."""
    if length == len(places):
        return places
    return [*(places + [places[-1]] * length)[: length - 1], places[-1]]


def _needs_rewrite(text: str, spelling: Spelling) -> bool:
    if spelling.typos:
        return True
    if _STRETCH.search(text) or (spelling.vocabulary and _DOUBLED.search(text)):
        return True
    if not _LATIN.search(text):
        return False
    return bool(spelling.skeletons) or _CYRILLIC.search(text) is not None


_STOPS = frozenset(".!?;\n")
_SHORT = frozenset(("dhs", "dh", "aed", "rs", "usd", "eur", "approx", "appx", "max", "min", "ca", "sz", "ht", "wt"))
_TITLES = frozenset(("mr", "mrs", "ms", "dr"))
_STOP = re.compile("[.!?;\n]")


def _is_short_word(tokens: Sequence[Token], index: int) -> bool:
    """Dhs. 700, max. 500, Dr. Ahmed: the dot shortens the word before it. "500 dhs. 42 fits" has a figure before."""
    if not 0 < index < len(tokens) - 1:
        return False
    word, follows = tokens[index - 1].text, tokens[index + 1].kind
    if word in _TITLES:
        return follows == "word"
    return word in _SHORT and follows == "number" and (index < 2 or tokens[index - 2].kind != "number")


_LISTED = re.compile(r"(?:^|\s)1[.)] .*\s2[.)] ")


def _list_heads(tokens: Sequence[Token]) -> frozenset[int]:
    """Where the items of a list in one line begin: 1) size M 2) budget 500."""
    heads: list[int] = []
    for index in range(len(tokens) - 1):
        token, follows = tokens[index], tokens[index + 1]
        is_next = token.text == str(len(heads) + 1) and follows.text in (".", ")") and follows.start == token.end
        if is_next and (index == 0 or tokens[index - 1].text not in "\n:"):
            heads.append(index)
    return frozenset(heads if len(heads) > 1 else ())


def _cut_clauses(text: str, words: Sequence[Token]) -> tuple[tuple[int, int], ...]:
    is_list = "1" in text and _LISTED.search(text) is not None
    heads = _list_heads(place_words(text, words)) if is_list else frozenset()
    if not heads and not _STOP.search(text):
        return ((0, len(words)),) if words else ()
    clauses: list[tuple[int, int]] = []
    start = 0
    for index, token in enumerate(words):
        if heads and (index in heads or index - 2 in heads):  # its number is a clause of its own
            if index > start:
                clauses.append((start, index))
            start = index
        if token[0] in _STOPS:
            if token[0] == "." and _is_short_word(words, index):
                continue
            if index > start:
                clauses.append((start, index + 1))
            elif clauses and token[0] == "?":  # "wool??" asks once
                clauses[-1] = (clauses[-1][0], index + 1)
            start = index + 1
    if start < len(words):
        clauses.append((start, len(words)))
    return tuple(clauses)


@lru_cache(maxsize=100_000)
def split_words(text: str) -> tuple[str, ...]:
    """The words of a text of the vocabulary, as messages' words come out. Remembered from one rule set to the next: not
    for what users write."""
    words = tuple(word.text for word in normalise(text).words)
    return (text,) if words == (text,) else words  # most are as they are listed: one string for both


def normalise(text: str, *, spelling: Spelling = NO_SPELLING) -> NormalisedText:
    """Fold the first 2,000 characters or 250 tokens of a text, of a longer one 180 tokens.

    `spelling` decides between spellings of noisy words.

    Pure and linear. Letters lose case, marks and regional shapes; digits are ASCII; words lose inner apostrophes; line
    breaks survive as clause ends.
    """
    return spell(_read_plain(text), spelling)


def normalise_all(texts: Sequence[str], *, spelling: Spelling) -> list[NormalisedText]:
    """As `normalise` for each of the texts; each step goes over all of them before the next."""
    return [spell(plain, spelling) for plain in [_read_plain(text) for text in texts]]


def cap_text(normal: NormalisedText, end: int) -> NormalisedText:
    """The text without the words that begin at character `end` or behind it, noted as capped where there are any."""
    count = bisect_left(normal.tokens, end, key=_get_start)
    if count >= len(normal.tokens) or not count:
        return normal
    last = normal.tokens[count - 1].end
    offsets, places = normal.offsets, normal.offsets[:last]
    raw_end = places[-1] + 1
    plain = normal.plain
    return NormalisedText(
        normal.text[:last],
        offsets[: last + 1] if isinstance(offsets, range) else (*places, raw_end),
        normal.words[:count],
        tuple((first, min(stop, count)) for first, stop in normal.clauses if first < count),
        is_capped=True,
        plain=plain and cap_text(plain, bisect_left(plain.offsets, raw_end)),
    )


def _get_start(token: Token) -> int:
    return token[1]


def spell(normal: NormalisedText, spelling: Spelling, *, known: NormalisedText | None = None) -> NormalisedText:
    """The same text with its noisy words in another spelling; the very same object where no word changes.

    `known`: the text in a spelling that may be the same; then that very object is the answer.
    """
    normal = normal.plain or normal
    if not _needs_rewrite(normal.text, spelling):
        return normal
    text, offsets = _rewrite(normal, spelling)
    if text is normal.text:
        return normal
    if known is not None and text == known.text:
        return known
    words = cut_words(text)
    return NormalisedText(text, offsets, words, _cut_clauses(text, words), normal.is_capped, normal)


def _read_plain(text: str) -> NormalisedText:
    is_capped = len(text) > MAX_CHARACTERS
    most = MAX_PASTED if is_capped else MAX_TOKENS
    folded, offsets, words = fold_pieces(text[:MAX_CHARACTERS], at_most=most)
    if len(words) > most:
        words = words[:most]
        is_capped, end = True, place_words(folded, words)[-1].end
        folded, offsets = folded[:end], offsets[:end]
    if isinstance(offsets, range):
        offsets = range(len(offsets) + 1)
    else:
        offsets = (*offsets, offsets[-1] + 1 if offsets else 0)
    return NormalisedText(folded, offsets, words, _cut_clauses(folded, words), is_capped)
