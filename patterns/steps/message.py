"""A message with everything that the later steps ask of it worked out once: words, clauses, segments, quotes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any, Generic, TypeVar

from msgspec import Struct

from patterns.grammar.grammar import Grammar
from patterns.matching.lexicon import Lexicon, LexiconMatch
from patterns.matching.triggers import Trigger
from patterns.steps.clauses import cut_segments
from patterns.steps.headline import QUESTIONS, open_headlines
from patterns.steps.quotation import mark_quoted
from patterns.text.folded_pieces import Token
from patterns.text.normaliser import NormalisedText

T = TypeVar("T")

_CONTRAST = "contrast"
_DIGIT = re.compile(r"\d")
# Known as words alone, not for what they say.
_UNTELLING = frozenset(("ordinary", "event_thing", "compound_head", "first_person", "recital", "recited"))
MAX_ADDRESS = 4  # words of a greeting before the one that is greeted
FEW = 12  # matches that are looked through one by one
MAX_COVER = 5  # words by which a longer expression may begin before a word that it covers


class kept(Generic[T]):  # a decorator
    """A property worked out when it is first asked for. Without the lock of the standard one, which costs more than
    most of these: threads that share a message work out the same.
    """

    def __init__(self, find: Callable[[Any], T]) -> None:
        self._find = find
        self._name = find.__name__
        self.__doc__ = find.__doc__

    def __get__(self, message: Any, owner: object = None) -> T:
        found = message.__dict__[self._name] = self._find(message)
        return found


class Starts(list[dict[str, LexiconMatch]]):
    """What begins at each token: category -> longest match. All copies of a message share what is found in it."""

    @kept
    def categories(self) -> Set[str]:
        """The categories of all matches."""
        return set().union(*filter(None, self))

    @kept
    def marks(self) -> dict[str, list[LexiconMatch]]:
        """The matches of each category by start."""
        marks: dict[str, list[LexiconMatch]] = {}
        for starting in filter(None, self):
            for category, match in starting.items():
                if category in marks:
                    marks[category].append(match)
                else:
                    marks[category] = [match]
        return marks


class Message(Struct, dict=True, eq=False):
    """One normalised message and its vocabulary. Positions are token indexes unless they say otherwise.

    What few messages are asked for (places, matches by category, segments) is worked out when it is: most messages
    state nothing.
    """

    written: NormalisedText  # before headings ("My size? M.") are joined with what answers them
    normal: NormalisedText
    starts: Starts
    grammar: Grammar  # the words that are no vocabulary, by what they are asked for
    triggers: Sequence[Trigger] | None = None  # of all rules, where they are known already
    list_triggered: Callable[[], Iterable[tuple[int, int]]] = tuple  # works out `triggered`, which few ask for

    @property
    def words(self) -> Sequence[Token]:
        """The tokens without their places in the text, for those who ask what is said alone."""
        return self.normal.words

    @kept
    def tokens(self) -> tuple[Token, ...]:
        """The words, numbers and marks with their places."""
        return self.normal.tokens

    @kept
    def categories(self) -> Set[str]:
        """The categories of all that is said: those of `marks`, without its matches."""
        return self.starts.categories

    @kept
    def marks(self) -> dict[str, list[LexiconMatch]]:
        """The matches of each category by start."""
        return self.starts.marks

    @kept
    def cache(self) -> dict[object, Any]:
        """What a step worked out once for the message or a clause."""
        return {}

    @kept
    def consumed(self) -> set[int]:
        """Relation words that name an event, so no subject."""
        return set()

    @kept
    def places(self) -> dict[str, list[int]]:
        """Where the matches of common categories begin."""
        return {}

    @kept
    def ends(self) -> list[Sequence[LexiconMatch]]:
        """What ends before a token."""
        ends: list[Any] = [()] * (len(self.words) + 1)
        for starting in self.starts:
            for match in starting.values():
                if ends[match[4]]:
                    ends[match[4]].append(match)
                else:
                    ends[match[4]] = [match]
        return ends

    @kept
    def token_starts(self) -> list[int]:
        """The character at which each token begins."""
        return [token[1] for token in self.tokens]

    @kept
    def clause_of(self) -> list[int]:
        """The number of each token's clause."""
        return _index_of(self.normal.clauses, len(self.words))

    @kept
    def segments(self) -> list[tuple[int, int]]:
        """Clauses cut at commas, dashes, contrast words and where another statement begins (`steps.clauses`)."""
        contrasts = {match.start for match in self.marks.get(_CONTRAST, ())}
        return cut_segments(self.normal, self.starts, contrasts, self.triggered, grammar=self.grammar)

    @kept
    def segment_of(self) -> list[int]:
        """The number of each token's segment."""
        return _index_of(self.segments, len(self.words))

    @kept
    def quoted(self) -> list[bool]:
        """Whether each token stands in quotation marks."""
        return mark_quoted(self.tokens)

    @kept
    def has_number(self) -> bool:
        """Whether anything in it can be a number, in digits or in words."""
        return "number" in self.categories or _DIGIT.search(self.normal.text) is not None

    @kept
    def triggered(self) -> list[tuple[int, int]]:
        """Where the triggers of rules stand, also of those that could read nothing."""
        return list(self.list_triggered())

    @kept
    def unnamed(self) -> list[bool]:
        """Whether a token is a word that the vocabulary does not know for what it says."""
        unnamed = [token[3] == "word" for token in self.words]
        for place, starting in enumerate(self.starts):
            end = place
            for category, match in starting.items():
                if match[4] > end and category not in _UNTELLING:
                    end = match[4]
            for index in range(place, end):
                unnamed[index] = False
        return unnamed

    @kept
    def strange(self) -> list[bool]:
        """Whether a token is a word that neither the vocabulary nor a trigger knows: what it says is not understood."""
        strange = self.unnamed.copy()
        for start, end in self.triggered:
            for index in range(start, end):
                strange[index] = False
        return strange

    @property
    def has_size(self) -> bool:
        """Whether anything in it can be a clothing size."""
        return "size_letter" in self.categories or self.has_number

    def copy(self) -> Message:
        """The same message before anything is noted in it: for another reader."""
        return Message(self.written, self.normal, self.starts, self.grammar, self.triggers)

    def at(self, index: int, category: str) -> LexiconMatch | None:
        """The longest match of the category that begins at the token."""
        return self.starts[index].get(category) if 0 <= index < len(self.tokens) else None

    def find_in(self, category: str, start: int, end: int) -> LexiconMatch | None:
        """The first match of the category that begins in [start, end)."""
        found = self.marks.get(category)
        if found is None:
            return None
        if len(found) > FEW:
            place = bisect_left(self._list_places(category), start)
            return found[place] if place < len(found) and found[place][3] < end else None
        for match in found:
            if match[3] >= start:
                return match if match[3] < end else None
        return None

    def find_last_in(self, category: str, start: int, end: int) -> LexiconMatch | None:
        """The last match of the category that begins in [start, end)."""
        found = self.list_in(category, start, end)
        return found[-1] if found else None

    def has_in(self, category: str, start: int, end: int) -> bool:
        """Whether a match of the category begins in [start, end)."""
        found = self.marks.get(category)
        if found is None:
            return False
        if len(found) > FEW:
            places = self._list_places(category)
            place = bisect_left(places, start)
            return place < len(places) and places[place] < end
        for match in found:
            if match[3] >= start:
                return match[3] < end
        return False

    def _list_places(self, category: str) -> list[int]:
        """Where the matches of a category begin, worked out once for those that there are many of."""
        places: list[int] | None = self.places.get(category)
        if places is None:
            places = self.places[category] = [match[3] for match in self.marks[category]]
        return places

    def list_in(self, category: str, start: int, end: int) -> list[LexiconMatch]:
        """The matches of the category that begin in [start, end), in order."""
        found = self.marks.get(category)
        if found is None:
            return []
        if len(found) <= FEW:
            return [match for match in found if start <= match[3] < end]
        places = self._list_places(category)
        return found[bisect_left(places, start) : bisect_left(places, end)]

    def has_uncovered_in(self, category: str, covers: Sequence[str], start: int, end: int) -> bool:
        """Whether a match of the category begins in [start, end) that lies in no longer match of the covers."""
        if category not in self.marks:
            return False
        return any(not self.is_covered(match, covers) for match in self.list_in(category, start, end))

    def is_covered(self, match: LexiconMatch, covers: Sequence[str]) -> bool:
        """Whether a match lies in a longer one of the covers ("these" in "these days")."""
        for cover in covers:
            for other in self.list_in(cover, max(0, match.start - MAX_COVER), match.start + 1):
                if other.end >= match.end and other.end - other.start > match.end - match.start:
                    return True
        return False

    def has_only(self, categories: Sequence[str], start: int, end: int) -> bool:
        """Whether [start, end) is made of marks and of matches of the categories."""
        index = start
        while index < end:
            known = self.starts[index]
            ends = [known[category].end for category in categories if category in known] if known else []
            if not ends and self.tokens[index].kind != "mark":
                return False
            index = max(ends, default=index + 1)
        return True

    def ends_with(self, index: int, category: str) -> bool:
        """Whether a match of the category ends right before the token."""
        found = self.marks.get(category, ())
        if len(found) <= FEW:
            return any(match[4] == index for match in found)
        return any(match.category == category for match in self.ends[index])

    def clause(self, index: int) -> tuple[int, int]:
        """The clause around a token."""
        return self.normal.clauses[self.clause_of[index]] if self.normal.clauses else (0, len(self.tokens))

    def segment(self, index: int) -> tuple[int, int]:
        """The segment (clause cut at commas, dashes and contrast words) around a token."""
        return self.segments[self.segment_of[index]]

    def consume_address(self) -> None:
        """ "Girls, my size is M": who is spoken to at the start is nobody that is spoken of."""
        for named in self.marks.get("vocative", ()):
            if named.start and self.tokens[named.start - 1].text not in self.grammar.person_leads:
                self.consumed.update(range(named.start, named.end))
        self._consume_role()
        addressed = self.find_in("addressed", 0, MAX_ADDRESS)
        if addressed is None or not self.segments:
            return
        first, last = self.segments[self.segment_of[addressed.start]]
        small = ("addressed", "greeting", "filler", "oath")
        rest = [i for i in range(first, last) if self.tokens[i].kind != "mark" and i not in range(*addressed[3:5])]
        is_all_small = all(any(self.at(i, category) for category in small) for i in rest)
        if first <= MAX_ADDRESS and (is_all_small or self._is_called(first, addressed)):
            self.consumed.update(range(addressed.start, addressed.end))

    def _consume_role(self) -> None:
        """Студентка, бюджет 200; я пенсионерка: a segment that says nothing else tells what the writer is."""
        small = ("other", "filler", "greeting", "oath", "self")
        for person in self.marks.get("other", ()):
            if person.canonical == "role" and self.segment_of[person.start] <= 1:
                first, last = self.segment(person.start)
                if self.has_only(small, first, last) and not self.has_in("relation", 0, last):
                    self.consumed.update(range(person.start, person.end))

    def _is_called(self, first: int, addressed: LexiconMatch) -> bool:
        """Девочки короче, девочки предупреждаю: dictated without the comma, what the writer says follows at once."""
        if addressed.language != "ru" or addressed.end >= len(self.tokens):
            return False
        if not self.has_only(("addressed", "greeting", "filler", "oath"), first, addressed.start):
            return False
        follows = self.tokens[addressed.end].text
        if follows in self.grammar.behind_address or follows.endswith(self.grammar.my_verb_endings):
            return True
        return self.at(addressed.end, "announcement") is not None

    def token_at(self, character: int) -> int:
        """The token that holds or follows a character of the normalised text."""
        place = bisect_left(self.token_starts, character + 1) - 1
        if place >= 0 and self.tokens[place].end > character:
            return place
        return place + 1


def _index_of(spans: list[tuple[int, int]] | tuple[tuple[int, int], ...], count: int) -> list[int]:
    owners = [0] * count
    for number, (start, end) in enumerate(spans):
        for index in range(start, min(end, count)):
            owners[index] = number
    return owners


def analyse(normal: NormalisedText, lexicon: Lexicon) -> Message:
    """Look up the vocabulary and cut the message into clauses and segments."""
    return _make_message(normal, lexicon.list_starts(normal.words), lexicon)


def analyse_all(normals: Sequence[NormalisedText], lexicon: Lexicon) -> list[Message]:
    """As `analyse` for each of the texts; each step goes over all of them before the next."""
    starts = [lexicon.list_starts(normal.words) for normal in normals]
    return [_make_message(*pair, lexicon) for pair in zip(normals, starts, strict=True)]


def _make_message(normal: NormalisedText, starts: list[dict[str, LexiconMatch]], lexicon: Lexicon) -> Message:
    written = normal
    normal, opened = open_headlines(normal, starts)
    for index in opened:
        if not QUESTIONS.isdisjoint(starts[index]):
            starts[index] = {name: match for name, match in starts[index].items() if name not in QUESTIONS}
    return Message(written, normal, Starts(starts), lexicon.grammar)
