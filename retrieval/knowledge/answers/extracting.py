"""An answer out of texts: the sentences that say most of what is asked, word for word (D-42). Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from patterns.text.tokens import CONCEPT_PREFIX, Token, tokenise
from retrieval.knowledge.answers.rendering import clean_line

MAX_CHARACTERS: Final = 600
MAX_SENTENCES: Final = 3
_SENTENCE: Final = re.compile(r"[^\n.!?…؟。]+(?:[.!?…؟。]+(?=\s|$)|\.(?=\S)[^\n.!?…؟。]*)*[.!?…؟。]?", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Extract:
    """Sentences of one text, and what share of the words that are asked for they have, together with its title."""

    text: str
    coverage: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """A word of the question that nothing else explains."""

    spellings: frozenset[str]
    concepts: frozenset[str]
    """None for a name: a text about one city says nothing of another."""
    script: str

    def is_meant(self, lexemes: set[str]) -> bool:
        """Whether a text with these lexemes speaks of it, be it in a word of its concept."""
        return not (self.spellings.isdisjoint(lexemes) and self.concepts.isdisjoint(lexemes))

    def weigh(self, lexemes: set[str], script: str) -> float:
        """How surely a text with these lexemes says it: 1 for the word itself, less for its concept, 0 for neither."""
        if not self.spellings.isdisjoint(lexemes):
            return 1.0
        if self.concepts.isdisjoint(lexemes):
            return 0.0
        tuning = settings.UNDE_TUNING
        return float(tuning.KNOWLEDGE_RELATED_WORD if self.script == script else tuning.KNOWLEDGE_TRANSLATED_WORD)


def extract_answer(title: str, text: str, *, wanted: Sequence[Wanted], is_whole: bool = False) -> Extract:
    """The best sentences of a text in their order.

    Without any words to look for, or with `is_whole`, the text's beginning is the answer.
    """
    sentences = split_sentences(text)
    tokens = [tokenise(sentence) for sentence in sentences]
    script = find_main_script(token for line in tokens for token in line)
    lexemes = [list_lexemes(line) for line in tokens]
    kept = list(range(len(sentences)))
    if wanted and not is_whole:
        kept = choose_lines([sum(word.is_meant(line) for word in wanted) for line in lexemes]) or kept
    said = list_lexemes(tokenise(title)).union(*(lexemes[place] for place in kept))
    coverage = sum(word.weigh(said, script) for word in wanted) / len(wanted) if wanted else 1.0
    return Extract(_join([sentences[place] for place in kept]), coverage)


def choose_lines(scores: Sequence[int]) -> list[int]:
    """The places of the best lines in their order: those with more than half of the best score. None without any."""
    best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:MAX_SENTENCES]
    top = max(scores, default=0)
    return sorted(place for place in best if scores[place] and scores[place] * 2 > top)


def list_lexemes(tokens: Iterable[Token]) -> set[str]:
    """Every lexeme of the words of a text."""
    return {lexeme for token in tokens for lexeme, _ in token.lexemes}


def find_main_script(tokens: Iterable[Token]) -> str:
    """The script of most words of a text."""
    return next(iter(Counter(find_script(token.surface) for token in tokens).most_common(1)), ("", 0))[0]


def find_script(word: str) -> str:
    """The script of a word's first letter or digit, as Unicode names it."""
    return unicodedata.name(word[0], "").partition(" ")[0]


def list_wanted(text: str) -> list[Wanted]:
    """The content words of a question, each with its spellings. One that begins the text is no name for being large."""
    return [_read_wanted(token, place) for place, token in enumerate(tokenise(text, is_query=True))]


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line."""
    return [clean for match in _SENTENCE.findall(text) if (clean := clean_line(match))]


def _join(sentences: Sequence[str]) -> str:
    """Sentences until there are enough characters; never half of one, unless the first is too long by itself."""
    kept: list[str] = []
    for sentence in sentences:
        if kept and sum(map(len, kept)) + len(kept) + len(sentence) > MAX_CHARACTERS:
            break
        kept.append(sentence)
    return " ".join(kept)[: MAX_CHARACTERS * 2]


def _read_wanted(token: Token, place: int) -> Wanted:
    lexemes = [lexeme for lexeme, _ in token.lexemes]
    concepts = [lexeme for lexeme in lexemes if lexeme.startswith(CONCEPT_PREFIX)]
    is_name = place > 0 and token.surface[0].isupper()
    return Wanted(
        spellings=frozenset(lexemes).difference(concepts),
        concepts=frozenset() if is_name else frozenset(concepts),
        script=find_script(token.surface),
    )
