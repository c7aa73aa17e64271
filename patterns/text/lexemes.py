"""Lexemes as the index holds them: six bytes each, of which arrays can find and count many at once (D-11).

An entry is five bytes of the lexeme's SHA-256 and one of counts: how often the message itself has it (upper half) and
how often the part that it lends its neighbours (lower half), both at most 8. Two lexemes of one user share five bytes
once in 10^12 pairs.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from patterns.text.caches import empty_with_stores
from patterns.text.tokens import Token

HASH_BYTES = 5
ENTRY_BYTES = HASH_BYTES + 1
MAX_COUNT = 8  # later occurrences add next to nothing to a rank (1/n^2)
_COUNTS = [bytes((count,)) for count in range(256)]
_ONCE = _COUNTS[1 << 4 | 1]
MAX_INDEXED_ENTRIES = 320  # with its place they fit an entry of a b-tree (2,704 bytes); sql/0001_tables.sql checks it


def hash_new_lexeme(lexeme: str) -> bytes:
    """The five bytes that stand for a lexeme, worked out."""
    return hashlib.sha256(lexeme.encode()).digest()[:HASH_BYTES]


hash_lexeme = lru_cache(maxsize=200_000)(hash_new_lexeme)
"""As `hash_new_lexeme`, for those who ask again; never-met words of messages are kept with their piece."""
empty_with_stores(hash_lexeme.cache_clear)


def pack_lexemes(own: Iterable[Token], *, lent: Iterable[Token]) -> tuple[bytes, bytes | None]:
    """Entries of a message with the tokens `own`, of which its neighbours get `lent`.

    In two parts: what fits the index, and the rest of a long message (None for all others).
    """
    said = Counter([lexeme for token in own for lexeme, _ in token.lexemes])
    given = Counter([lexeme for token in lent for lexeme, _ in token.lexemes])
    counts = {lexeme: min(count, MAX_COUNT) << 4 for lexeme, count in said.items()}
    for lexeme, count in given.items():
        counts[lexeme] = counts.get(lexeme, 0) | min(count, MAX_COUNT)
    packed = b"".join([hash_lexeme(lexeme) + _COUNTS[count] for lexeme, count in counts.items()])
    split = MAX_INDEXED_ENTRIES * ENTRY_BYTES
    return packed[:split], packed[split:] or None


def pack_once(lexemes: Iterable[str]) -> bytes:
    """Entries of lexemes that a message says once each, and lends its neighbours."""
    return b"".join([hash_new_lexeme(lexeme) + _ONCE for lexeme in lexemes])


def pack_lexeme(lexeme: str, count: int) -> bytes:
    """The entry of a lexeme that a message says so many times and lends its neighbours as often."""
    said = min(count, MAX_COUNT)
    return hash_lexeme(lexeme) + _COUNTS[said << 4 | said]


def says_each_once(packed: bytes) -> bool:
    """Whether no lexeme has two of the entries. Fewer look-ups all over the memory than the lexemes themselves take."""
    count = len(packed) // ENTRY_BYTES
    return len(set(_find_hashes(count).unpack(packed))) == count


@lru_cache(maxsize=1_000)
def _find_hashes(count: int) -> struct.Struct:
    return struct.Struct(f"{HASH_BYTES}sx" * count)


def has_own_lexeme(packed: bytes, lexemes: Iterable[str]) -> bool:
    """Whether a message has one of the lexemes itself."""
    wanted = frozenset(map(hash_lexeme, lexemes))
    return any(
        packed[start : start + HASH_BYTES] in wanted and packed[start + HASH_BYTES] >> 4
        for start in range(0, len(packed), ENTRY_BYTES)
    )
