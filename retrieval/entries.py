"""What the index holds of a message by its text alone, wherever the message stands (D-8, D-11).

Pure; nothing is read or written, so it is made before anybody's lock is taken.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from retrieval.embedding.hashed import HashedEmbedder
from retrieval.embedding.types import EmbeddingProvider, pack_vector, pack_vectors
from retrieval.lexemes import pack_lexemes
from retrieval.tokens import (
    MAX_INDEXED_CHARACTERS,
    NAME_WORDS,
    Token,
    build_date_text,
    clean_text,
    count_words,
    split_words,
    tokenise,
    tokenise_words,
)
from retrieval.traits import find_traits

NEIGHBOUR_CHARACTERS = 400  # what a message lends its neighbours (measured: uncut ones cost recall on long replies)
DATE_TOKENS = 3  # of `build_date_text`: day, month, year
UNNAMED_SPEAKERS: Final = frozenset({"", "user", "assistant", "system", "bot", "ai", "human"})


class Said(Protocol):
    """A message, stored or not yet."""

    @property
    def content(self) -> str: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def speaker(self) -> str: ...
    @property
    def response_description(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """Numbers, lexemes and vector of one text; the vector as `halfvec` in binary, None where workers make it."""

    traits: int
    words: int
    speaker: str
    lexemes: bytes
    more_lexemes: bytes | None
    vector: bytes | None


def name_entry(message: Said) -> Hashable:
    """What an entry depends on: messages that agree in it have the same one."""
    said_on = message.created_at.date()
    return "entry", message.content, message.speaker, said_on, message.response_description


def make_entries(messages: Sequence[Said], provider: EmbeddingProvider) -> list[Entry]:
    """The entries of messages, in order; with vectors where the provider is inline."""
    if not messages:
        return []
    read = [_read(message) for message in messages]
    vectors = _embed(messages, read, provider)
    return [
        Entry(
            int(find_traits(message.content)),
            one.words,
            name_speaker(message.speaker),
            *pack_lexemes(one.own, lent=one.lent),
            vector,
        )
        for message, one, vector in zip(messages, read, vectors, strict=True)
    ]


def build_own_text(message: Said) -> str:
    """The words a message is found by: its speaker where that is a name, the date, the text, and the description."""
    parts = [name_speaker(message.speaker), build_date_text(message.created_at), message.content]
    if message.response_description:
        parts.append(message.response_description)
    return " ".join(part for part in parts if part)


def build_embedded_text(message: Said) -> str:
    """What the embedder reads: `Name: text`."""
    name = name_speaker(message.speaker)
    text = message.content if not message.response_description else f"{message.content} {message.response_description}"
    return f"{name}: {text}" if name else text


def name_speaker(speaker: str) -> str:
    """The speaker's name on one line, empty for the generic ones."""
    return "" if speaker.lower() in UNNAMED_SPEAKERS else " ".join(speaker.split())


@dataclass(frozen=True, slots=True)
class _Read:
    """The tokens of a message's own text, what it lends its neighbours, and whether that is all of its content."""

    words: int
    own: list[Token]
    lent: list[Token]
    is_whole: bool


def _read(message: Said) -> _Read:
    own_text = build_own_text(message)
    cleaned = clean_text(own_text)
    split = split_words(cleaned)
    own = tokenise_words(split)
    words = len(split) if cleaned == own_text[:MAX_INDEXED_CHARACTERS] else count_words(own_text)
    is_date_and_content = not message.response_description and not name_speaker(message.speaker)
    if is_date_and_content and len(message.content) <= NEIGHBOUR_CHARACTERS and words <= NAME_WORDS - DATE_TOKENS:
        # A date is three tokens whatever follows it, so the rest are those of the content (a test holds it).
        return _Read(words, own, own[DATE_TOKENS:], True)
    return _Read(words, own, tokenise(message.content[:NEIGHBOUR_CHARACTERS]), False)


def _embed(messages: Sequence[Said], read: Sequence[_Read], provider: EmbeddingProvider) -> Sequence[bytes | None]:
    if not provider.is_inline:
        return [None] * len(messages)
    if not isinstance(provider, HashedEmbedder):
        return [pack_vector(each) for each in provider.embed_documents([build_embedded_text(m) for m in messages])]
    known = [
        one.lent if one.is_whole else provider.tokenise(build_embedded_text(message))
        for message, one in zip(messages, read, strict=True)
    ]
    return pack_vectors(provider.embed_tokens(known))
