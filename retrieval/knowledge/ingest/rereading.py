"""Which stored chunks may name an alias that came or went: those that have each of its words, or its initials.

Found by the index alone. A chunk too many is read in vain; one too few would leave a name unread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.database.statements import fetch_rows
from retrieval.knowledge.entities.patterns import is_stop_word, list_alias_keys, list_skeleton_terms, parse_alias
from retrieval.knowledge.entities.types import KeyKind
from retrieval.knowledge.entities.words import Word
from retrieval.knowledge.ingest.postings import is_indexed, list_form_terms
from retrieval.knowledge.packing import write_numbers

Chunks = NDArray[np.int64]
_NONE: Final = np.zeros(0, np.int64)
_CHUNK: Final = np.dtype(">i8")
_READ: Final = """
SELECT term, string_agg(int8send(chunk_id), ''::bytea)
FROM knowledge_posting WHERE corpus_id = %(corpus_id)s AND term = ANY(%(terms)s::bigint[]) GROUP BY term
"""
# A chunk without a title is the bare name of a record, and is not read for names.
_FIND_READ: Final = """
SELECT id FROM knowledge_chunk
WHERE corpus_id = %(corpus_id)s AND id = ANY(%(chunks)s::bigint[]) AND (document_id IS NOT NULL OR title <> '')
"""


class AliasTerms(NamedTuple):
    """Terms of which a chunk has one of each set of `words`, or one of `initials`, when it may name an alias."""

    words: tuple[frozenset[int], ...]
    initials: frozenset[int]


def list_alias_terms(text: str) -> AliasTerms | None:
    """What the index has of chunks that may name an alias; None for an alias that names nothing."""
    pattern = parse_alias(text)
    if pattern.anchor < 0:
        return None
    words = [_list_anchor_terms(pattern.words[pattern.anchor])]
    words += [_list_word_terms(word) for place, word in enumerate(pattern.words) if place != pattern.anchor]
    initials = frozenset(number for number, kind in list_alias_keys(text) if kind is KeyKind.ACRONYM)
    return AliasTerms(tuple(terms for terms in words if terms), initials)


def find_chunks_naming(corpus_id: int, aliases: Iterable[str], *, besides: Collection[int]) -> list[int]:
    """Stored chunks that may name one of the aliases, without those that are read anyway."""
    wanted = [terms for terms in map(list_alias_terms, aliases) if terms]
    numbers = {number for terms in wanted for part in (*terms.words, terms.initials) for number in part}
    if not numbers:
        return []
    postings = _Postings(_read_postings(corpus_id, sorted(numbers)))
    parts = [part for terms in wanted for part in _intersect(terms, postings)]
    found = np.unique(np.concatenate([_NONE, *parts]))
    chunks = np.setdiff1d(found, np.fromiter(besides, np.int64, len(besides)), assume_unique=True)
    return [
        row[0] for row in fetch_rows(_FIND_READ, {"corpus_id": corpus_id, "chunks": write_numbers(chunks.tolist())})
    ]


class _Postings:
    """Chunks by term, sorted; those of several terms are put together once, however many aliases have the word."""

    def __init__(self, chunks: Mapping[int, Chunks]) -> None:
        self._chunks = chunks
        self._united: dict[frozenset[int], Chunks] = {}

    def unite(self, terms: frozenset[int]) -> Chunks:
        """The chunks that have one of the terms."""
        if terms not in self._united:
            found = [self._chunks[term] for term in terms if term in self._chunks]
            self._united[terms] = found[0] if len(found) == 1 else np.unique(np.concatenate([_NONE, *found]))
        return self._united[terms]


def _intersect(terms: AliasTerms, postings: _Postings) -> list[Chunks]:
    parts = [postings.unite(terms.initials)]
    sets = sorted(map(postings.unite, terms.words), key=len)
    if sets and len(sets[0]):
        common = sets[0]
        for other in sets[1:]:
            common = _keep_common(common, other)
        parts.append(common)
    return [part for part in parts if len(part)]


def _keep_common(few: Chunks, many: Chunks) -> Chunks:
    """Those of a few chunks that are among many: looked up, since a common word has all chunks of a corpus."""
    places = np.searchsorted(many, few).clip(max=len(many) - 1)
    common: Chunks = few[many[places] == few]
    return common


def _read_postings(corpus_id: int, terms: Sequence[int]) -> dict[int, Chunks]:
    """Chunks by term, packed by the database: the driver takes longer over rows than the database over reading them."""
    rows = fetch_rows(_READ, {"corpus_id": corpus_id, "terms": write_numbers(terms)})
    return {term: np.sort(np.frombuffer(packed, dtype=_CHUNK).astype(np.int64)) for term, packed in rows}


def _list_anchor_terms(word: Word) -> frozenset[int]:
    return list_form_terms(word) | list_skeleton_terms(word.folded)


def _list_word_terms(word: Word) -> frozenset[int]:
    """Terms of another word than the anchor. None where the index leaves out a form of it: it need not be there."""
    is_always_there = not is_stop_word(word.folded) and is_indexed(word)
    return list_form_terms(word) | list_skeleton_terms(word.folded) if is_always_there else frozenset()
