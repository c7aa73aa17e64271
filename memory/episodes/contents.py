"""What an episode holds, in the words of its messages (SPEC L-2, D-42). Pure: the same messages, the same contents.

Every sentence stands in a message letter by letter and names its place in the episode (T-3). Which ones are taken is
told by words: those that come again within the episode and are not all over the session weigh most.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby, pairwise
from typing import Protocol

from msgspec import Struct, field

from memory.episodes import recipe
from memory.episodes.boundaries import ASKING
from memory.episodes.entities import Entity, list_entities
from patterns.text.cues import find_cues, split_spoken
from patterns.text.excerpts import shorten
from patterns.text.sentences import split_sentences
from patterns.text.tokens import tokenise

_DIGIT = re.compile(r"[0-9]")


class Said(Protocol):
    """A message as this module reads it."""

    @property
    def role(self) -> str: ...
    @property
    def content(self) -> str: ...


class Quote(Struct, frozen=True):
    """A sentence as it was said, and the place of its message in the episode. `words`: how many it says."""

    text: str
    place: int
    words: int = 0


class Decision(Struct, frozen=True):
    """What was settled, and why where that was said beside it."""

    text: str
    place: int
    reason: str | None = None


class Contents(Struct, frozen=True):
    """All layers of an episode in one; the layer chooses what of it is shown."""

    headline: Quote
    tags: list[str] = field(default_factory=list)
    summary: list[Quote] = field(default_factory=list)
    points: list[Quote] = field(default_factory=list)
    """The most telling first."""
    decisions: list[Decision] = field(default_factory=list)
    questions: list[Quote] = field(default_factory=list)
    """Asked, and not answered when the episode ended."""
    entities: list[Entity] = field(default_factory=list)
    stems: list[str] = field(default_factory=list)
    """Its heaviest words as stems: what episodes are compared by."""
    words: int = 0
    """Content words of all sentences: what the share of a grade is a share of."""


class Glance(Struct, frozen=True):
    """What a pack looks at of an episode's contents."""

    headline: Quote
    summary: list[Quote] = field(default_factory=list)
    questions: list[Quote] = field(default_factory=list)


class Sentence(Struct, frozen=True):
    """A sentence of a session, read. `place` is that of its message, `order` its own."""

    text: str
    place: int
    order: int
    role: str
    words: frozenset[str]
    forms: tuple[tuple[str, str], ...]
    """Each word as a stem, and as it was written."""
    asks: bool
    decides: bool
    reasons: bool
    has_number: bool


class Session(Struct, frozen=True):
    """A session read for its contents: the sentences of each message, and in how many messages a word is said."""

    roles: list[str]
    sentences: list[list[Sentence]]
    counts: Mapping[str, int]
    beginnings: list[str]
    """The first characters of each message, for one that has no sentence."""


def read_session(messages: Sequence[Said]) -> Session:
    """The sentences of a session, each read once, whatever episodes it is cut into."""
    sentences = [read_sentences(message, place) for place, message in enumerate(messages)]
    counts: Counter[str] = Counter()
    for said in sentences:
        counts.update({word for sentence in said for word in sentence.words})
    beginnings = [shorten(message.content.strip(), limit=recipe.HEADLINE_CHARACTERS) for message in messages]
    return Session([message.role for message in messages], sentences, counts, beginnings)


def read_contents(session: Session, first: int, end: int) -> Contents:
    """The contents of the messages `first` to before `end` of a session."""
    sentences = [sentence for said in session.sentences[first:end] for sentence in said]
    weights = weigh_words(sentences, session)
    ranked = rank_sentences(sentences, weights, first=first, opening=find_request(sentences))
    summary = choose_summary(ranked, messages=end - first)
    chosen = {sentence.order for sentence in summary}
    points = [sentence for sentence in ranked if sentence.order not in chosen][: recipe.MOST_POINTS]
    headline = next(iter([*ranked, *sentences]), None)
    return Contents(
        headline=_shorten(quote(headline, first)) if headline else Quote(session.beginnings[first], 0),
        tags=choose_tags(sentences, weights),
        summary=[quote(sentence, first) for sentence in summary],
        points=[quote(sentence, first) for sentence in points],
        decisions=list_decisions(sentences, first),
        questions=list_open_questions(session, first, end),
        entities=list_entities((sentence.text, sentence.place - first) for sentence in sentences),
        stems=sorted(weights, key=lambda stem: (-weights[stem], stem))[: recipe.MOST_STEMS],
        words=sum(len(sentence.words) for sentence in sentences),
    )


def read_sentences(message: Said, place: int) -> list[Sentence]:
    """The sentences of one message."""
    text = message.content[: recipe.CONTENT_CHARACTERS]
    return [
        _read_sentence(text[start:end], place, place * recipe.CONTENT_CHARACTERS + start, message.role)
        for start, end in split_sentences(text, longest=recipe.LONGEST_SENTENCE)
    ]


def _read_sentence(text: str, place: int, order: int, role: str) -> Sentence:
    asks = text.endswith(ASKING)
    cues = find_cues(split_spoken(text)) if role == "user" else {}
    tokens = tokenise(text)
    forms = tuple((token.lexemes[0][0], token.surface) for token in tokens)
    return Sentence(
        text=text,
        place=place,
        order=order,
        role=role,
        words=frozenset(stem for stem, _ in forms),
        forms=forms,
        asks=asks,
        decides="decision" in cues and not asks,
        reasons="reason" in cues,
        has_number=_has_digit(text),
    )


def _has_digit(text: str) -> bool:
    return bool(_DIGIT.search(text)) if text.isascii() else any(letter.isdigit() for letter in text)


def weigh_words(sentences: Iterable[Sentence], session: Session) -> dict[str, float]:
    """How much each word says: in how many messages of the episode, against how many of the session."""
    places: Counter[str] = Counter()
    for _, said in groupby(sentences, key=lambda sentence: sentence.place):
        places.update(frozenset().union(*(sentence.words for sentence in said)))
    return {word: _log(found) * _log(len(session.sentences) / session.counts[word]) for word, found in places.items()}


@lru_cache(maxsize=10_000)
def _log(count: float) -> float:
    """Few counts come again and again."""
    return math.log(1 + count)


def rank_sentences(
    sentences: Sequence[Sentence], weights: Mapping[str, float], *, first: int, opening: Sentence | None
) -> list[Sentence]:
    """After the opening the most telling first, each by what it adds to those before it.

    What a sentence adds only falls as others are taken, so only the best of the last round are weighed again (Minoux
    1978, lazy greedy).
    """
    ranked: list[Sentence] = [opening] if opening else []
    said: frozenset[str] = opening.words if opening else frozenset()
    telling = [one for one in sentences if len(one.words) >= recipe.MIN_WORDS and one is not opening]
    queue = [(-_weigh(one, weights, said, first), one.order, len(ranked), one) for one in telling]
    queue = heapq.nsmallest(recipe.CONSIDERED, queue)
    while queue and len(ranked) < recipe.LONGEST_SUMMARY + recipe.MOST_POINTS:
        _, order, taken, best = heapq.heappop(queue)
        if taken < len(ranked):
            heapq.heappush(queue, (-_weigh(best, weights, said, first), order, len(ranked), best))
        elif best.words - said:
            ranked.append(best)
            said |= best.words
    return ranked


def _weigh(sentence: Sentence, weights: Mapping[str, float], said: frozenset[str], first: int) -> float:
    told = sum([weights[word] for word in sentence.words - said])
    weight = told / math.sqrt(len(sentence.words) + recipe.LENGTH_OFFSET)
    weight *= recipe.USER_SHARE if sentence.role == "user" else 1.0
    weight *= recipe.DECISION_SHARE if sentence.decides else 1.0
    weight *= recipe.NUMBER_SHARE if sentence.has_number else 1.0
    weight *= recipe.FIRST_SHARE if sentence.place == first else 1.0
    return weight * (recipe.QUESTION_SHARE if sentence.asks and sentence.place > first else 1.0)


def choose_summary(ranked: Sequence[Sentence], *, messages: int) -> list[Sentence]:
    """Two to four sentences in the order in which they were said; fewer where fewer say something."""
    size = next((size for under, size in recipe.SUMMARY_SIZES if messages < under), recipe.LONGEST_SUMMARY)
    return sorted(ranked[:size], key=lambda sentence: sentence.order)


def find_request(sentences: Sequence[Sentence]) -> Sentence | None:
    """What the user asked for first; else the first thing that the user said."""
    said = [one for one in sentences if one.role == "user" and len(one.words) >= recipe.MIN_WORDS]
    asked = [one for one in said if one.asks and one.place == said[0].place]
    return next(iter([*asked, *said]), None)


def _shorten(headline: Quote) -> Quote:
    return Quote(cut_words(headline.text, limit=recipe.HEADLINE_CHARACTERS), headline.place, headline.words)


def cut_words(text: str, *, limit: int) -> str:
    """The first whole words, in at most `limit` characters."""
    if len(text) <= limit:
        return text
    return text[:limit].rsplit(None, 1)[0].rstrip(",;:،") or text[:limit]


def choose_tags(sentences: Iterable[Sentence], weights: Mapping[str, float]) -> list[str]:
    """Three to five words for the episode, as somebody wrote them: the heaviest, each stem once."""
    written: dict[str, dict[str, int]] = {}
    for (stem, form), count in Counter(chain.from_iterable(sentence.forms for sentence in sentences)).items():
        if len(form) > recipe.SHORT_WORD and not form[0].isdigit():
            written.setdefault(stem, {})[form] = count
    heaviest = sorted(written, key=lambda stem: (-weights[stem] * sum(written[stem].values()) ** 0.5, stem))
    return [min(written[stem], key=lambda form: (-written[stem][form], form)) for stem in heaviest[: recipe.MOST_TAGS]]


def list_decisions(sentences: Sequence[Sentence], first: int) -> list[Decision]:
    """What was settled, in order; the reason is in the sentence itself or in the next one of the message."""
    found = []
    for sentence, following in pairwise([*sentences, None]):
        if sentence is None or not sentence.decides or len(sentence.words) < recipe.MIN_WORDS - 1:
            continue
        is_why = following is not None and following.place == sentence.place and following.reasons
        reason = following.text if following is not None and is_why and not sentence.reasons else None
        found.append(Decision(sentence.text, sentence.place - first, reason))
    return found[: recipe.MOST_DECISIONS]


def list_open_questions(session: Session, first: int, end: int) -> list[Quote]:
    """What was asked in the last message: the user's own questions, and the assistant's where the session ends."""
    if session.roles[end - 1] == "assistant" and end < len(session.roles):
        return []
    asked = [one for one in session.sentences[end - 1] if one.asks and len(one.words) >= recipe.MIN_WORDS - 1]
    return [quote(sentence, first) for sentence in asked]


def quote(sentence: Sentence, first: int) -> Quote:
    """The sentence as it is kept."""
    return Quote(sentence.text, sentence.place - first, len(sentence.words))


def grade_points(contents: Contents, *, share: float) -> list[Quote]:
    """The key points that the share of the episode's information leaves room for, in the order in which they were said.

    The summary takes of the share first (D-44).
    """
    left = contents.words * share - sum(one.words for one in contents.summary)
    taken = []
    for point in contents.points:
        if point.words > left:
            break
        left -= point.words
        taken.append(point)
    return sorted(taken, key=lambda point: point.place)
