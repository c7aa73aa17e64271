"""What the index holds of a message by its text alone, wherever the message stands (D-8, D-11).

Pure; nothing is read or written, so it is made before anybody's lock is taken.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, Protocol

from msgspec import Struct

from patterns.text.lexemes import pack_lexemes
from patterns.text.token_pieces import (
    MAX_CHARACTERS,
    CachedPiece,
    Piece,
    ReadText,
    cut_pieces,
    list_tokens,
    pack_pieces,
    read_pieces,
)
from patterns.text.tokens import NAME_WORDS, Token, build_date_text, count_words, tokenise
from retrieval.embedding.hashed import Features, HashedEmbedder
from retrieval.embedding.types import EmbeddingProvider, format_vector
from retrieval.index.traits import MAX_CHARACTERS as TRAIT_CHARACTERS
from retrieval.index.traits import weigh_traits

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
    """Numbers, lexemes and vector of one text; the vector as PostgreSQL reads it, None where workers make it."""

    traits: int
    words: int
    speaker: str
    lexemes: bytes
    more_lexemes: bytes | None
    vector: str | None


def name_entry(message: Said) -> Hashable:
    """What an entry depends on: messages that agree in it have the same one."""
    said_on = message.created_at.astimezone(UTC).date()  # as it comes back from the database, whatever zone it came in
    return "entry", message.content, message.speaker, said_on, message.response_description


def make_entries(messages: Sequence[Said], provider: EmbeddingProvider) -> list[Entry]:
    """The entries of messages, in order; with vectors where the provider is inline.

    Each step goes over all messages before the next: what it needs of memory stays at hand.
    """
    if not messages:
        return []
    names = [name_speaker(message.speaker) for message in messages]
    plain = [not name and not message.response_description for name, message in zip(names, messages, strict=True)]
    cut = [_cut(*pair) for pair in zip(messages, plain, strict=True)]
    found = [None if pieces is None else read_pieces(pieces) for pieces in cut]
    traits = _weigh_traits(messages, plain, found)
    read = [_read(*each) for each in zip(messages, plain, found, strict=True)]
    vectors = _embed(messages, read, provider)
    return [
        Entry(weight, one.words, name, *one.packed, vector)
        for weight, one, name, vector in zip(traits, read, names, vectors, strict=True)
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


class _Read(Struct, frozen=True, gc=False):
    """How many words a message has, its packed lexemes, and what the built-in embedder reads if known."""

    words: int
    packed: tuple[bytes, bytes | None]
    pieces: Sequence[CachedPiece] | None = None
    repeated: Set[str] = frozenset()
    tokens: Sequence[Token] | None = None


def _cut(message: Said, is_plain: bool) -> list[Piece] | None:
    """The pieces of its own text, None where that is long.

    In a plain message nothing but a date and the content stands there: a date is three tokens whatever follows it, and
    the rest are the content, read as part of the whole (a test holds it).
    """
    if not is_plain:
        text = build_own_text(message)
        return cut_pieces(text) if len(text) <= MAX_CHARACTERS else None
    date = build_date_text(message.created_at)
    if len(date) + 1 + len(message.content) > MAX_CHARACTERS:
        return None
    return [*_cut_date(date), *cut_pieces(message.content)]


@lru_cache(maxsize=1_000)
def _cut_date(date: str) -> Sequence[Piece]:
    return cut_pieces(date)


def _weigh_traits(messages: Sequence[Said], plain: Sequence[bool], found: Sequence[ReadText | None]) -> Sequence[int]:
    """The traits of the content of messages. Of plain ones its pieces are known."""
    heads = [message.content[:TRAIT_CHARACTERS] for message in messages]
    cut = [
        cut_pieces(head) if one is None or not is_plain else one.cut[DATE_TOKENS:]
        for head, is_plain, one in zip(heads, plain, found, strict=True)
    ]
    return weigh_traits(heads, cut)


def _read(message: Said, is_plain: bool, found: ReadText | None) -> _Read:
    if found is None:
        text = build_own_text(message)
        return _Read(count_words(text), pack_lexemes(tokenise(text), lent=_tokenise_lent(message)))
    if not is_plain or len(message.content) > NEIGHBOUR_CHARACTERS or not _fits(found.raw_words):
        return _Read(found.raw_words, pack_lexemes(list_tokens(found.pieces), lent=_tokenise_lent(message)))
    date, lent = found.pieces[:DATE_TOKENS], found.pieces[DATE_TOKENS:]
    once = pack_pieces(date, lent)
    if once is not None:
        packed, repeated = once
        return _Read(found.raw_words, (packed, None), lent, repeated)
    own = list_tokens(found.pieces)
    return _Read(found.raw_words, pack_lexemes(own, lent=own[DATE_TOKENS:]), tokens=own[DATE_TOKENS:])


def _tokenise_lent(message: Said) -> list[Token]:
    return _tokenise(message.content[:NEIGHBOUR_CHARACTERS])


def _tokenise(text: str) -> list[Token]:
    """As `tokenise`, for the words of a message of which the pieces are known by now."""
    return list_tokens(read_pieces(cut_pieces(text)).pieces)


def _fits(words: int) -> bool:
    return words <= NAME_WORDS - DATE_TOKENS


def _embed(messages: Sequence[Said], read: Sequence[_Read], provider: EmbeddingProvider) -> Sequence[str | None]:
    if not provider.is_inline:
        return [None] * len(messages)
    if not isinstance(provider, HashedEmbedder):
        return [format_vector(each) for each in provider.embed_documents([build_embedded_text(m) for m in messages])]
    features = [_list_features(*pair, provider) for pair in zip(messages, read, strict=True)]
    return [format_vector(vector) for vector in provider.add_up(features)]


def _list_features(message: Said, read: _Read, provider: HashedEmbedder) -> Features:
    if read.pieces is not None:
        return provider.list_piece_features(read.pieces, read.repeated)
    if read.tokens is not None:
        return provider.list_features(read.tokens)
    text = build_embedded_text(message)
    return provider.list_features(_tokenise(text) if len(text) <= MAX_CHARACTERS else provider.tokenise(text))
