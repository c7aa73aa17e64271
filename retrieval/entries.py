"""What the index holds of a message by its text alone, wherever the message stands (D-8, D-11).

Pure; nothing is read or written, so it is made before anybody's lock is taken.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import Final, Protocol

from msgspec import Struct

from retrieval.embedding.hashed import Features, HashedEmbedder
from retrieval.embedding.types import EmbeddingProvider, pack_vector, pack_vectors
from retrieval.lexemes import pack_lexemes
from retrieval.pieces import MAX_CHARACTERS, KeptPiece, ReadText, cut_pieces, list_tokens, pack_pieces, read_pieces
from retrieval.tokens import NAME_WORDS, Token, build_date_text, count_words, tokenise
from retrieval.traits import find_traits, weigh_traits

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


class Entry(Struct, frozen=True):
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
    """The entries of messages, in order; with vectors where the provider is inline.

    Each step goes over all messages before the next: what it needs of memory stays at hand.
    """
    if not messages:
        return []
    texts = [build_own_text(message) for message in messages]
    cut = [cut_pieces(text) if len(text) <= MAX_CHARACTERS else None for text in texts]
    found = [None if pieces is None else read_pieces(pieces) for pieces in cut]
    traits = [_weigh_traits(*pair) for pair in zip(messages, found, strict=True)]
    read = [_read(*each) for each in zip(messages, texts, found, traits, strict=True)]
    vectors = _embed(messages, read, provider)
    return [
        Entry(one.traits, one.words, name_speaker(message.speaker), *one.packed, vector)
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


class _Read(Struct, frozen=True):
    """A message's traits, how many words it has, its packed lexemes, and what the built-in embedder reads if known."""

    traits: int
    words: int
    packed: tuple[bytes, bytes | None]
    pieces: Sequence[KeptPiece] | None = None
    tokens: Sequence[Token] | None = None


def _is_date_and_content(message: Said) -> bool:
    """Whether nothing else stands in its own text.

    A date is three tokens whatever follows it: the rest are the content, read as part of the whole (a test holds it).
    """
    return not message.response_description and not name_speaker(message.speaker)


def _weigh_traits(message: Said, found: ReadText | None) -> int:
    if found is not None and _is_date_and_content(message):
        return weigh_traits(message.content, found.cut[DATE_TOKENS:])
    return int(find_traits(message.content))


def _read(message: Said, text: str, found: ReadText | None, traits: int) -> _Read:
    if found is None:
        packed = pack_lexemes(tokenise(text), lent=_tokenise_lent(message))
        return _Read(traits, count_words(text), packed)
    if not _is_date_and_content(message):
        packed = pack_lexemes(list_tokens(found.pieces), lent=_tokenise_lent(message))
        return _Read(traits, found.raw_words, packed)
    if len(message.content) > NEIGHBOUR_CHARACTERS or not _fits(found.raw_words):
        packed = pack_lexemes(list_tokens(found.pieces), lent=_tokenise_lent(message))
        return _Read(traits, found.raw_words, packed)
    date, lent = found.pieces[:DATE_TOKENS], found.pieces[DATE_TOKENS:]
    once = pack_pieces(date, lent)
    if once is not None:
        return _Read(traits, found.raw_words, (once, None), pieces=lent)
    own = list_tokens(found.pieces)
    return _Read(traits, found.raw_words, pack_lexemes(own, lent=own[DATE_TOKENS:]), tokens=own[DATE_TOKENS:])


def _tokenise_lent(message: Said) -> list[Token]:
    return tokenise(message.content[:NEIGHBOUR_CHARACTERS])


def _fits(words: int) -> bool:
    return words <= NAME_WORDS - DATE_TOKENS


def _embed(messages: Sequence[Said], read: Sequence[_Read], provider: EmbeddingProvider) -> Sequence[bytes | None]:
    if not provider.is_inline:
        return [None] * len(messages)
    if not isinstance(provider, HashedEmbedder):
        return [pack_vector(each) for each in provider.embed_documents([build_embedded_text(m) for m in messages])]
    features = [_list_features(*pair, provider) for pair in zip(messages, read, strict=True)]
    return pack_vectors(provider.add_up(features))


def _list_features(message: Said, read: _Read, provider: HashedEmbedder) -> list[Features]:
    if read.pieces is not None:
        return provider.list_piece_features(read.pieces)
    tokens = read.tokens if read.tokens is not None else provider.tokenise(build_embedded_text(message))
    return provider.list_features(tokens)
