"""The closed vocabulary: longest alias match over tokens gives a canonical value with its category."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakValueDictionary

from msgspec.msgpack import encode

from patterns.grammar.grammar import build_grammar
from patterns.grammar.kinds import GRAMMAR_ROWS
from patterns.matching.spelling_rows import CLOSE, HEARD, MENDED, SPELLING_ROWS, list_mendable, list_spelt
from patterns.text.arabizi import (
    choose_words,
    list_bones,
    list_close,
    list_lonely,
    list_outlines,
    list_representatives,
    list_shared_meanings,
    list_skeletons,
)
from patterns.text.caches import WordCache, make_room
from patterns.text.folded_pieces import MAX_CACHED_WORDS, Token
from patterns.text.normaliser import Spelling, normalise, split_words
from patterns.text.typos import Typos

DECOY = "decoy"  # words that contain others and mean something else (faux leather): they hide what they cover
ORDINARY = "ordinary"  # words that are taken as they stand: for no slip, no other spelling, no particle and word
_LATIN_PREFIXES = ("wel", "wil", "wal", "bil", "bel", "lil", "lel", "el", "al", "il", "w")
_ARTICLE = "el"
_FREE_ARTICLES = frozenset(("el", "al", "il"))  # Arabizi writes them apart, also within a name
_MIN_STEM = 3
CACHED_PLACES = 40  # tokens of a message of some length


@dataclass(frozen=True, slots=True)
class Entry:
    """One canonical value in one category, with its aliases (any spelling) in one language."""

    category: str
    canonical: str
    language: str
    aliases: tuple[str, ...]
    forms: tuple[str, ...] = ()  # inflected forms of the aliases, written out
    rollout_percent: int = 100  # phrases of replies alone can be on trial: see `patterns.matching.phrases`
    held_back_percent: int = 0


class LexiconMatch(NamedTuple):
    """Tokens [start, end) say `canonical`. `has_and`: an attached Arabic "and" opens the match."""

    category: str
    canonical: str
    language: str
    start: int
    end: int
    has_and: bool = False


_NOTHING: dict[str, LexiconMatch] = {}
_NO_CHILDREN: Mapping[str, _Node] = MappingProxyType({})
_make_match = tuple.__new__  # several times as fast as the class itself, and there are hundreds in a long message


_Value = tuple[str, str, str]  # category, canonical, language


class _Node:
    """A place in the trie. Of tens of thousands nearly all lead nowhere and say one thing: empty ones hold nothing."""

    __slots__ = ("children", "values")

    def __init__(self) -> None:
        self.children: Mapping[str, _Node] = _NO_CHILDREN
        self.values: tuple[_Value, ...] = ()

    def enter(self, word: str) -> _Node:
        """The node behind a word, which is made where there is none."""
        children = self.children
        if not isinstance(children, dict):
            children = self.children = {}
        node: _Node | None = children.get(word)
        if node is None:
            node = children[word] = _Node()
        return node


class _Opening(NamedTuple):
    """A word at which aliases may begin."""

    node: _Node
    has_and: bool
    is_prefixed: bool = False  # behind an article, which Arabizi alone writes together
    is_longer: bool = False  # in another spelling, which only words behind it confirm


class _Word(NamedTuple):
    """What a word is to the vocabulary wherever it stands."""

    openings: tuple[_Opening, ...]
    is_spelt: bool  # whether it may go on with an alias in another spelling
    alone: tuple[tuple[str, str, str, bool], ...]  # what it says by itself, one value of each category
    followers: Set[str]  # words that an alias goes on with behind it
    is_walked: bool  # whether only walking can tell what begins at it
    places: dict[int, dict[str, LexiconMatch]]  # what it says by itself as the token of that number


class _Spelt(NamedTuple):
    """What of a spelling depends on the vocabulary alone, and on the words that stand for all their spellings."""

    listed: Set[str]
    skeletons: Mapping[str, str]
    bones: Mapping[str, str]
    outlines: Set[str]
    heard: Mapping[str, str]  # of `bones`, those that lead to listed words
    words: Set[str]  # of the vocabulary, those that no other one stands for


class Derived(dict[str, object]):
    """What others worked out of words and phrases, by name; held by whom it is for."""


def share_lexicon(entries: Sequence[Entry]) -> Lexicon:
    """The lexicon of these entries: the one that is in use already, where another set of this process has the same.

    Most sets differ in their rules alone: a tenant's own, a draft, the version after an edit. Building takes most of
    the time that compiling a set takes, and tens of megabytes. The one asked for last stays for the next draft; a rule
    that is compiled without words drives it out no more than the same words do.
    """
    fingerprint = blake2b(encode(entries), digest_size=32).digest()
    lexicon = _shared.get(fingerprint)
    if lexicon is None:
        lexicon = _shared.setdefault(fingerprint, Lexicon(entries))
    if entries and lexicon not in _latest:
        _latest.append(lexicon)
    return lexicon


class Lexicon:
    """Aliases of all languages in one token trie. Read-only after it is built, so shared freely by threads."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.derived: WeakValueDictionary[Hashable, Derived] = WeakValueDictionary()
        """By phrases: what is worked out of them and of this vocabulary."""
        self._root = _Node()
        self._words: WordCache[str, _Word] = WordCache()
        self._placed = 0  # how many places of words are kept
        self.canonicals: dict[str, set[str]] = {}
        words: set[str] = set()
        arabizi: set[str] = set()
        others: set[str] = set()
        mended: set[str] = set()
        self._whole: set[str] = set()  # Arabic words that no particle is taken off
        self._meanings: dict[str, set[tuple[str, str]]] = {}  # what each Arabizi word says by itself
        given = tuple(entries)
        mendable = list_mendable(given)
        self.grammar = build_grammar(given)
        entries = tuple(entry for entry in given if entry.category not in SPELLING_ROWS | GRAMMAR_ROWS)
        for entry in entries:
            self.canonicals.setdefault(entry.category, set()).add(entry.canonical)
            value = _list_values(entry)
            for alias in (*entry.aliases, *entry.forms):
                found = split_words(alias)
                self._put(value, found)
                if entry.category == ORDINARY:
                    self._whole.update(found)
                words.update(found)
                (arabizi if entry.language == "arabizi" else others).update(found)
                if len(found) == 1 and (entry.category, entry.language) in mendable:
                    mended.update(found)
        self.words: Set[str] = frozenset(words)
        self.mended_words: Set[str] = frozenset(mended)
        self._mended_in_rules = list_spelt(given, MENDED)
        self._typos: Typos | None = None  # made for the first spelling, the same for all
        self._heard = list_spelt(given, HEARD)
        self.arabizi_words: Set[str] = frozenset(w for w in arabizi - others if len(w) > 2 and w.isascii())
        self._note_meanings(entries)
        shared = {word: self._meanings.pop(word) for word in self._meanings.keys() & others}
        self._meanings |= list_lonely(shared, self._meanings, {category for category, _ in mendable})
        self._share_meanings(self._meanings.keys() - others)
        self._representatives = list_representatives(self._meanings, choose_words(self._meanings, make_keys=list_bones))
        self._representatives.update(dict.fromkeys(_FREE_ARTICLES - {_ARTICLE}, _ARTICLE))
        self.close = list_close(list_spelt(given, CLOSE), self._meanings, taken=others)
        self._add_representatives(entries)

    def _note_meanings(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.language != "arabizi" or entry.category == ORDINARY:
                continue
            for alias in entry.aliases:
                words = [token.text for token in normalise(alias).tokens if token.script == "latin"]
                for word in words:
                    meanings = self._meanings.setdefault(word, set())
                    if len(words) == 1:
                        meanings.add((entry.category, entry.canonical))

    def _share_meanings(self, words: Set[str]) -> None:
        """A word that one row lists as malabis and another as malabes is both, however it is spelt."""
        for word, meanings in list_shared_meanings(self._meanings, words).items():
            node = self._root.children[word]
            known = {category for category, _, _ in node.values}
            new = sorted(value for value in meanings if value[0] not in known)
            node.values += tuple((category, canonical, "arabizi") for category, canonical in new)
            self._meanings[word].update(new)

    def _add_representatives(self, entries: Iterable[Entry]) -> None:
        """Aliases of several words under the words that stand for the spellings of each."""
        for entry in entries:
            if entry.language == "arabizi":
                for alias in entry.aliases:
                    words = list(split_words(alias))
                    for known in (self._representatives, self.close):
                        spelt = [known.get(word, word) for word in words]
                        if len(words) > 1 and spelt != words:
                            self._put(_list_values(entry), spelt)

    def _put(self, values: tuple[_Value], words: Sequence[str]) -> None:
        node = self._root
        for text in words:
            node = node.enter(text)
        if words and values[0] not in node.values:
            node.values = node.values + values if node.values else values

    def make_spelling(
        self,
        extra_words: Set[str] = frozenset(),
        extra_arabizi: Set[str] = frozenset(),
        *,
        rules: Sequence[Set[str]] | None = None,
    ) -> Spelling:
        """The spelling knowledge of this vocabulary, with the words of phrases or `rules` (of each, its words).

        `extra_arabizi`: words that stand for all their spellings, beside those that rows list. Words of phrases, and
        of a rule that has not the word that stands for them, are left as they are.
        """
        spelt = self._spell(self._heard | extra_arabizi) if extra_arabizi else self._spelt
        listed, heard = spelt.listed, spelt.heard
        if self._typos is None:
            self._typos = Typos(self.mended_words | self._mended_in_rules)
        extra_words = frozenset(extra_words).union(*rules or ())
        stands = {word: heard[key] for word in extra_words - self.words for key in list_bones(word) if key in heard}
        stands |= {word: self.close[word] for word in extra_words & self.close.keys()}
        kept = extra_words if rules is None else {w for r in rules for w in r & stands.keys() if stands[w] not in r}
        close = {spelling: self.close[spelling] for spelling in self.close.keys() - kept}
        vocabulary = spelt.words | extra_words - (stands.keys() - kept) | listed
        vocabulary = (vocabulary | self._mended_in_rules | set(close.values())) - close.keys()
        telling = listed | (stands.keys() | close.keys()) - self.words
        return Spelling(
            vocabulary, self.arabizi_words | telling, spelt.skeletons, self._typos, spelt.bones, close, spelt.outlines
        )

    @cached_property
    def _spelt(self) -> _Spelt:
        """As `_spell` for the words of rows alone: the same for all sets of rules over this vocabulary."""
        return self._spell(self._heard)

    def _spell(self, listed: Set[str]) -> _Spelt:
        """What of a spelling no rule and no phrase changes, when these words stand for all their spellings."""
        skeletons, bones = self._choose_words(listed)
        heard = {key: word for key, word in bones.items() if word in listed}
        others = list_representatives(self._meanings, heard)
        words = self.words - (others.keys() & self.arabizi_words)
        return _Spelt(listed, skeletons, bones, list_outlines(skeletons, bones), heard, words)

    def _choose_words(self, listed: Set[str]) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """The one known word that each skeleton, and each run of consonants, leads to; listed ones before others."""
        meanings = self._join_meanings(listed)
        return (
            choose_words(meanings, make_keys=list_skeletons, preferred=listed),
            choose_words(meanings, make_keys=list_bones, preferred=listed),
        )

    def _join_meanings(self, extra: Set[str]) -> dict[str, Set[object]]:
        """What each Arabizi word says; a word of rules alone says what the vocabulary's words that sound so do."""
        joined: dict[str, Set[object]] = dict(self._meanings)
        for word in extra - self._meanings.keys():
            keys = list_bones(word)
            joined[word] = frozenset(keys).union(*(self._by_bones.get(bones, ()) for bones in keys))
        return joined

    @cached_property
    def _by_bones(self) -> Mapping[str, Set[object]]:
        """What the Arabizi words say that have these consonants."""
        found: dict[str, set[object]] = {}
        for word, meanings in self._meanings.items():
            for bones in list_bones(word):
                found.setdefault(bones, set()).update(meanings)
        return found

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
        if start < limit:
            for opening in self._get_word(tokens[start]).openings:
                found.extend(self._open(opening, tokens, start, limit))
        return found

    def _get_word(self, token: Token) -> _Word:
        """What a word is: the same wherever it stands, so worked out once."""
        known = self._words.get(token[0])
        if known is None:
            if len(self._words) >= MAX_CACHED_WORDS:
                self._drop_words()
            known = self._words[token[0]] = self._read_word(token)
        return known

    def _drop_words(self) -> None:
        self._placed -= sum(len(word.places) for word in make_room(self._words))
        if not self._words:
            self._placed = 0  # an erasure had emptied them

    def _read_word(self, token: Token) -> _Word:
        text, script = token[0], token[4]
        is_spelt = text in self._representatives or text[:2] in _FREE_ARTICLES
        may_open = is_spelt or (script == "latin" and text.startswith(_LATIN_PREFIXES))
        if not may_open and self._root.children.keys().isdisjoint(token[5]):
            return _UNKNOWN  # as nearly every word that comes for the first time
        openings = tuple(self._list_openings(token))
        if not openings:
            return _SPELT if is_spelt else _UNKNOWN
        alone: dict[str, tuple[str, str, str, bool]] = {}
        for opening in openings:
            for value in () if opening.is_longer else opening.node.values:
                alone.setdefault(value[0], (*value, opening.has_and))
        followers = frozenset().union(*(opening.node.children for opening in openings))
        is_walked = any(opening.is_prefixed for opening in openings)
        return _Word(openings, is_spelt, tuple(alone.values()), followers, is_walked, {})

    def _list_openings(self, token: Token) -> Iterable[_Opening]:
        known = self._root.children
        forms = token.forms if token.text not in self._whole else token.forms[:1]
        for number, form in enumerate(forms):
            if form in known:
                yield _Opening(known[form], number > 0 and token.text[0] == "و")
        if token.script != "latin":
            return
        if token.text not in known:
            yield from self._list_with_article(token.text)
        other = self._find_spelt(known, token.text)
        if other is not None and other.children:
            yield _Opening(other, False, is_longer=True)

    def _list_with_article(self, word: str) -> Iterable[_Opening]:
        if not word.startswith(_LATIN_PREFIXES):
            return
        for prefix in _LATIN_PREFIXES:
            node = self._root.children.get(word[len(prefix) :]) if word.startswith(prefix) else None
            if node is not None and len(word) - len(prefix) >= _MIN_STEM:
                yield _Opening(node, prefix[0] == "w", is_prefixed=True)

    def _open(self, opening: _Opening, tokens: Sequence[Token], start: int, limit: int) -> list[LexiconMatch]:
        found: list[LexiconMatch] = []
        self._walk(opening.node, tokens, start, start + 1, limit, opening.has_and, found)
        if opening.is_prefixed:
            return [match for match in found if match.language == "arabizi"]
        if opening.is_longer:
            return [match for match in found if match.end > start + 1]
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
        representatives = self._representatives
        while True:
            for value in node.values:
                found.append(_make_match(LexiconMatch, (*value, start, at, has_and)))
            children = node.children
            if not children or at >= limit:
                return
            text, forms = tokens[at][0], tokens[at][5]
            if len(forms) > 1 or text in representatives or text[:2] in _FREE_ARTICLES:
                break
            child = children.get(text)
            if child is None:
                return
            node, at = child, at + 1
        for form in forms if text[0] != "و" else forms[:1]:  # "and" begins the next, it continues nothing
            child = children.get(form)
            if child is not None:
                self._walk(child, tokens, start, at + 1, limit, has_and, found)
        child = self._find_spelt(children, text)
        if child is not None:
            self._walk(child, tokens, start, at + 1, limit, has_and, found)
        if text in _FREE_ARTICLES and at + 1 < limit and text not in children:
            child = children.get(tokens[at + 1].text)  # jeans el mgata3
            if child is not None:
                self._walk(child, tokens, start, at + 2, limit, has_and, found)

    def _find_spelt(self, children: Mapping[str, _Node], word: str) -> _Node | None:
        """What another spelling of the word leads to, or its article apart from it (eljay for el jay)."""
        other = self._representatives.get(word)
        if other is not None:
            return children.get(other)
        article = children.get(_ARTICLE) if word[:2] in _FREE_ARTICLES else None
        if article is None:
            return None
        return article.children.get(self._representatives.get(word[2:], word[2:]))

    def scan(self, tokens: Sequence[Token]) -> list[LexiconMatch]:
        """For every position and category the longest match; what a decoy covers entirely is left out."""
        return [match for starting in self.list_starts(tokens) for match in starting.values()]

    def list_starts(self, tokens: Sequence[Token]) -> list[dict[str, LexiconMatch]]:
        """The same by the token that each begins at: category -> match. One dictionary serves all empty places."""
        words = self._words
        if not tokens:
            return []
        read = [words.get(token[0]) or self._get_word(token) for token in tokens]
        starts = [_NOTHING] * len(tokens)
        reach = 0  # how far the decoys that begin at or before a token reach
        last = len(tokens) - 1
        for start, word in enumerate(read):
            openings, _, _, followers, is_walked, places = word
            if not openings:
                continue  # as all that no row lists
            if followers and start < last:  # a longer alias may follow, also where its next word is spelt otherwise
                is_walked = is_walked or read[start + 1][1] or not followers.isdisjoint(tokens[start + 1][5])
            if is_walked:
                longest = self._find_longest(word, tokens, start)
            else:
                kept = places.get(start)
                longest = self._place(word, start) if kept is None else kept
            if DECOY in longest and longest[DECOY][4] > reach:
                reach = longest[DECOY][4]
            if start < reach and longest:
                longest = {name: match for name, match in longest.items() if name == DECOY or reach < match[4]}
            starts[start] = longest
        return starts

    def _place(self, word: _Word, start: int) -> dict[str, LexiconMatch]:
        """What a word says by itself at a place; kept for the first places, where the next message has it too."""
        placed = {
            category: _make_match(LexiconMatch, (category, canonical, language, start, start + 1, has_and))
            for category, canonical, language, has_and in word.alone
        }
        if start < CACHED_PLACES:
            if self._placed >= MAX_CACHED_WORDS:
                self._drop_words()
            self._placed += 1
            word.places[start] = placed
        return placed

    def _find_longest(self, word: _Word, tokens: Sequence[Token], start: int) -> dict[str, LexiconMatch]:
        """The longest match of each category that a word leads to."""
        longest: dict[str, LexiconMatch] = {}
        for opening in word[0]:
            for match in self._open(opening, tokens, start, len(tokens)):
                known = longest.get(match[0])
                if known is None or match[4] > known[4]:
                    longest[match[0]] = match
        return longest


def _list_values(entry: Entry) -> tuple[_Value]:
    """What an entry says, as the one value of a node: all its aliases share it."""
    return ((entry.category, entry.canonical, entry.language),)


_NOWHERE: frozenset[str] = frozenset()
# Words that open nothing, as all that were never met: one for all of them, as their places are never filled.
_UNKNOWN, _SPELT = (_Word((), is_spelt, (), _NOWHERE, False, {}) for is_spelt in (False, True))


_shared: WeakValueDictionary[bytes, Lexicon] = WeakValueDictionary()  # by what they were built of
_latest: deque[Lexicon] = deque(maxlen=1)
