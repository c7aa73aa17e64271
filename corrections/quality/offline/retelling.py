"""Whether a user says again what an older message of theirs says, told by words alone (SPEC Q-3). Pure.

A sentence tells an older one again when it has three content words and more, when the older sentence holds three fifths
of their weight, and when two of the shared words are rare with this user. docs/quality.md has what that finds.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from django.conf import settings

from patterns.text.sentences import split_sentences
from patterns.text.tokens import tokenise

Words = frozenset[str]
_ASKS: Final = frozenset("?؟？")


def read_sentences(text: str) -> list[Words]:
    """The content words of each sentence of a text; sentences without any are left out."""
    return [words for words, _ in _read(text) if words]


def read_told(text: str) -> list[Words]:
    """The same of the sentences that tell something: a question repeats nothing, and two words say too little."""
    least = settings.UNDE_TUNING.RETOLD_MIN_WORDS
    return [words for words, asks in _read(text) if not asks and len(words) >= least]


def asks_something(text: str) -> bool:
    """Whether a message ends in a question."""
    return bool(_ASKS & set(text.rstrip()[-3:]))


def _read(text: str) -> Iterable[tuple[Words, bool]]:
    for start, end in split_sentences(text, longest=settings.UNDE_TUNING.RETOLD_SENTENCE_CHARACTERS):
        words = frozenset(token.lexemes[0][0] for token in tokenise(text[start:end]))
        yield words, bool(_ASKS & set(text[start : end + 1]))


class Retellings:
    """Compares later sentences of a user with the whole history, in one pass over it. Holds no text."""

    def __init__(self, told: Mapping[UUID, Sequence[Words]]) -> None:
        """`told`: by later message what its sentences tell (`read_told`)."""
        self._told = [(message_id, words) for message_id, each in told.items() for words in each]
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, (_, words) in enumerate(self._told):
            for word in words:
                self._places[word].append(place)
        self._texts = 0
        self._seen: Counter[str] = Counter()
        self._shared: dict[int, list[tuple[UUID, Words]]] = defaultdict(list)

    def add(self, message_id: UUID, sentences: Iterable[Words]) -> None:
        """Look at one message of the history, those that were given as later ones included."""
        self._texts += 1
        seen: set[str] = set()
        for words in sentences:
            known = words & self._places.keys()
            seen |= known
            counts = Counter(place for word in known for place in self._places[word])
            for place, count in counts.items():
                later, told = self._told[place]
                if count >= settings.UNDE_TUNING.RETOLD_RARE_WORDS and later != message_id:
                    self._shared[place].append((message_id, words & told))
        self._seen.update(seen)

    def find(self) -> dict[UUID, set[UUID]]:
        """By message, the others that say the same. Which of them are older is for the caller to see."""
        found: dict[UUID, set[UUID]] = defaultdict(set)
        for place, shared in self._shared.items():
            later, told = self._told[place]
            weight = sum(map(self._weigh, told))
            found[later].update(
                other for other, words in shared if self._is_same(sum(map(self._weigh, words)) / weight, words)
            )
        return {later: others for later, others in found.items() if others}

    def _weigh(self, word: str) -> float:
        return math.log(1 + self._texts / max(1, self._seen[word]))

    def _is_same(self, share: float, words: Words) -> bool:
        tuning = settings.UNDE_TUNING
        most = max(tuning.RETOLD_RARE_MESSAGES, tuning.RETOLD_RARE_SHARE * self._texts)
        rare = sum(self._seen[word] <= most for word in words)
        return bool(share >= tuning.RETOLD_SHARE and rare >= tuning.RETOLD_RARE_WORDS)
