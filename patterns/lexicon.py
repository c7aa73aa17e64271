"""The closed vocabulary (ENGINE step 7): longest alias match over tokens gives a canonical value with its category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from patterns.normaliser import Spelling, Token, make_bones, make_skeleton, normalise
from patterns.slips import Slips

DECOY = (
    "decoy"  # words that contain others and mean something else (faux leather, law sama7t): they hide what they cover
)
# Categories whose words are understood with one letter wrong, by language: endings make more words of Russian ones.
_MENDED_EVERYWHERE = frozenset(
    ("fabric", "irritant", "brand", "budget_word", "size_word", "month", "weekday", "currency")
)
MENDED = {
    "ru": _MENDED_EVERYWHERE,
    "en": _MENDED_EVERYWHERE | frozenset(("material", "pattern", "garment", "event")),
}
_LATIN_PREFIXES = ("wel", "wil", "wal", "bil", "bel", "lil", "lel", "el", "al", "il", "w")
_PREFIX_LETTERS = frozenset(prefix[0] for prefix in _LATIN_PREFIXES)
_FREE_ARTICLES = frozenset(("el", "al", "il"))  # Arabizi writes them apart, also within a name
_MIN_STEM = 3
MIN_BONES = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One canonical value in one category, with its aliases (any spelling) in one language."""

    category: str
    canonical: str
    language: str
    aliases: tuple[str, ...]
    forms: tuple[str, ...] = ()  # inflected forms of the aliases, written out
    rollout_percent: int = 100  # phrases of replies alone can be on trial: see `patterns.phrases`
    held_back_percent: int = 0


class LexiconMatch(NamedTuple):
    """Tokens [start, end) say `canonical`. `has_and`: an attached Arabic "and" opens the match."""

    category: str
    canonical: str
    language: str
    start: int
    end: int
    has_and: bool = False


_make_match = tuple.__new__  # several times as fast as the class itself, and there are hundreds in a long message


class _Node:
    __slots__ = ("children", "values")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.values: list[tuple[str, str, str]] = []  # category, canonical, language


class Lexicon:
    """Aliases of all languages in one token trie. Read-only after it is built, so shared freely by threads."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._root = _Node()
        self.canonicals: dict[str, set[str]] = {}
        words: set[str] = set()
        arabizi: set[str] = set()
        others: set[str] = set()
        mended: set[str] = set()
        for entry in entries:
            self.canonicals.setdefault(entry.category, set()).add(entry.canonical)
            for alias in (*entry.aliases, *entry.forms):
                found = self._add(entry, alias)
                words.update(found)
                (arabizi if entry.language == "arabizi" else others).update(found)
                if len(found) == 1 and entry.category in MENDED.get(entry.language, ()):
                    mended.update(found)
        self.words: Set[str] = frozenset(words)
        self.mended_words: Set[str] = frozenset(mended)
        self.arabizi_words: Set[str] = frozenset(w for w in arabizi - others if len(w) > 2 and w.isascii())

    def _add(self, entry: Entry, alias: str) -> list[str]:
        tokens = [token.text for token in normalise(alias).tokens]
        node = self._root
        for text in tokens:
            node = node.children.setdefault(text, _Node())
        value = (entry.category, entry.canonical, entry.language)
        if tokens and value not in node.values:
            node.values.append(value)
        return tokens

    def make_spelling(
        self,
        extra_words: Set[str] = frozenset(),
        extra_arabizi: Set[str] = frozenset(),
        extra_mended: Set[str] = frozenset(),
    ) -> Spelling:
        """The spelling knowledge of this vocabulary, with the words of the rules beside it."""
        vocabulary = self.words | extra_words
        arabizi = self.arabizi_words | extra_arabizi
        skeletons: dict[str, str] = {}
        for word in sorted(arabizi):
            if len(word) > 3:
                skeletons.setdefault(make_skeleton(word), word)
        slips = Slips(self.mended_words | extra_mended)
        return Spelling(vocabulary, arabizi, skeletons, slips, self._list_bones(arabizi))

    def _list_bones(self, words: Set[str]) -> dict[str, str]:
        """One word for each set of consonants that only one meaning has."""
        found: dict[str, dict[str, object]] = {}
        for word in sorted(words):
            bones = make_bones(word)
            if len(bones) >= MIN_BONES:
                found.setdefault(bones, {})[word] = self._meaning(word)
        return {bones: min(meant) for bones, meant in found.items() if len(set(meant.values())) == 1}

    def _meaning(self, word: str) -> object:
        node = self._root.children.get(word)
        if node is None or node.children:
            return word
        return frozenset((category, canonical) for category, canonical, _ in node.values) or word

    def find(
        self, tokens: Sequence[Token], start: int, *, categories: Set[str] | None = None, end: int | None = None
    ) -> LexiconMatch | None:
        """The longest alias that begins at token `start` and ends before `end`, of the given categories if any."""
        best: LexiconMatch | None = None
        for match in self.list_at(tokens, start, end=end):
            if (categories is None or match.category in categories) and (best is None or match.end > best.end):
                best = match
        return best

    def list_at(self, tokens: Sequence[Token], start: int, *, end: int | None = None) -> list[LexiconMatch]:
        """All alias matches that begin at token `start`, of every length and category."""
        limit = len(tokens) if end is None else end
        found: list[LexiconMatch] = []
        if start >= limit or (tokens[start].kind == "mark" and tokens[start].text not in self._root.children):
            return found
        token = tokens[start]
        for number, form in enumerate(token.forms):
            node = self._root.children.get(form)
            if node is not None:
                has_and = number > 0 and token.text[0] == "و"
                self._walk(node, tokens, start, start + 1, limit, has_and, found)
        if token.script == "latin" and token.text not in self._root.children:
            self._list_with_article(tokens, start, limit, found)
        return found

    def _walk(
        self,
        node: _Node,
        tokens: Sequence[Token],
        start: int,
        at: int,
        limit: int,
        has_and: bool,
        found: list[LexiconMatch],
    ) -> None:
        for value in node.values:
            found.append(_make_match(LexiconMatch, (*value, start, at, has_and)))
        children = node.children
        if not children or at >= limit:
            return
        for form in tokens[at].forms:
            child = children.get(form)
            if child is not None:
                self._walk(child, tokens, start, at + 1, limit, has_and, found)
        if tokens[at].text in _FREE_ARTICLES and at + 1 < limit and tokens[at].text not in children:
            child = children.get(tokens[at + 1].text)  # jeans el mgata3
            if child is not None:
                self._walk(child, tokens, start, at + 2, limit, has_and, found)

    def _list_with_article(self, tokens: Sequence[Token], start: int, limit: int, found: list[LexiconMatch]) -> None:
        word = tokens[start].text
        if word[0] not in _PREFIX_LETTERS:
            return
        for prefix in _LATIN_PREFIXES:
            if word.startswith(prefix) and len(word) - len(prefix) >= _MIN_STEM:
                node = self._root.children.get(word[len(prefix) :])
                if node is not None:
                    here: list[LexiconMatch] = []
                    self._walk(node, tokens, start, start + 1, limit, prefix[0] == "w", here)
                    found.extend(match for match in here if match.language == "arabizi")

    def scan(self, tokens: Sequence[Token]) -> list[LexiconMatch]:
        """For every position and category the longest match; what a decoy covers entirely is left out."""
        found: list[LexiconMatch] = []
        covered = [0] * len(tokens)  # covered[i]: how far the decoys that begin at or before i reach
        reach = 0
        known = self._root.children
        for start, token in enumerate(tokens):
            if token.text not in known and token.script != "latin" and len(token.forms) == 1:
                covered[start] = reach
                continue
            longest: dict[str, LexiconMatch] = {}
            for match in self.list_at(tokens, start):
                category = match[0]
                if category not in longest or match[4] > longest[category][4]:
                    longest[category] = match
            decoy = longest.get(DECOY)
            reach = max(reach, decoy.end if decoy else 0)
            covered[start] = reach
            found.extend(longest.values())
        return [m for m in found if m.category == DECOY or covered[m.start] < m.end]
