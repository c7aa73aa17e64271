"""An answer out of texts: the sentences that say most of what is asked, word for word (D-42). Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from patterns.text.tokens import tokenise
from retrieval.knowledge.answers.rendering import clean_line

MAX_CHARACTERS: Final = 600
MAX_SENTENCES: Final = 3
_SENTENCE: Final = re.compile(r"[^\n.!?…؟。]+(?:[.!?…؟。]+(?=\s|$)|\.(?=\S)[^\n.!?…؟。]*)*[.!?…؟。]?", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Extract:
    """Sentences of one text, and what share of the words that are asked for the text has."""

    text: str
    coverage: float


def extract_answer(title: str, text: str, *, wanted: Sequence[Collection[str]], is_whole: bool = False) -> Extract:
    """The best sentences of a text in their order.

    `wanted` are the words of the question that nothing else explains, each with its spellings as lexemes; without any,
    or with `is_whole`, the text's beginning is the answer.
    """
    has = find_lexemes(f"{title} {text}")
    covered = sum(1 for word in wanted if has & set(word))
    coverage = covered / len(wanted) if wanted else 1.0
    sentences = split_sentences(text)
    if is_whole or not wanted:
        return Extract(_join(sentences), coverage)
    scores = [sum(1 for word in wanted if find_lexemes(sentence) & set(word)) for sentence in sentences]
    best = sorted(range(len(sentences)), key=lambda place: (-scores[place], place))[:MAX_SENTENCES]
    top = max(scores, default=0)
    kept = sorted(place for place in best if scores[place] and scores[place] * 2 > top)
    return Extract(_join([sentences[place] for place in kept] or sentences), coverage)


def find_lexemes(text: str) -> set[str]:
    """Every lexeme of a text."""
    return {lexeme for token in tokenise(text) for lexeme, _ in token.lexemes}


def list_wanted(text: str) -> list[frozenset[str]]:
    """The content words of a text, each with its spellings."""
    return [frozenset(lexeme for lexeme, _ in token.lexemes) for token in tokenise(text, is_query=True)]


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
