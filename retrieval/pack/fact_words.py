"""The user's own words behind facts: no fact travels without them (SPEC T-3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from memory.database.queries import Query
from memory.tenants.scope import ask
from memory.types import Fact, UserRef
from patterns.text.excerpts import make_excerpt
from retrieval.sql import write_array
from retrieval.types import FactExcerpt, FactWords

Item = TypeVar("Item")

# Index: primary key of memory_message. What was forgotten or erased shows nowhere (SPEC G-1, G-3).
_READ = (
    "SELECT id, content, memory_type FROM memory_message WHERE user_id = %s::uuid AND id = ANY(%s::text::uuid[])"
    " AND forgotten_at IS NULL AND (%s::timestamptz IS NULL OR created_at <= %s::timestamptz)"
)


def list_fact_words(
    *, user: UserRef, facts: Iterable[Fact], as_of: datetime | None = None, at_most: int | None = None
) -> FactWords:
    """For each fact the excerpts of its latest evidence, oldest first: of `at_most` messages, said by `as_of`.

    Facts without messages (onboarding, a form) have none.
    """
    facts = list(facts)
    statement = make_fact_words_query(user=user, facts=facts, as_of=as_of, at_most=at_most)
    rows = ask(statement) if statement else []
    said = {row[0]: FactExcerpt(row[0], make_excerpt(row[1], memory_type=row[2])) for row in rows}
    words = {fact.id: [said[each] for each in fact.evidence_message_ids if each in said] for fact in facts}
    return {fact_id: tuple(_take_last(excerpts, at_most)) for fact_id, excerpts in words.items()}


def make_fact_words_query(
    *, user: UserRef, facts: Iterable[Fact], as_of: datetime | None = None, at_most: int | None = None
) -> Query | None:
    """The query of `list_fact_words`, to be prefetched; None where no fact has evidence."""
    # As of a moment the latest messages may have been said later: then all are looked at.
    wanted = None if as_of else at_most
    ids = dict.fromkeys(each for fact in facts for each in _take_last(fact.evidence_message_ids, wanted))
    return Query(_READ, [user.id, write_array(list(ids)), as_of, as_of]) if ids else None


def _take_last(items: Sequence[Item], at_most: int | None) -> Sequence[Item]:
    return items if at_most is None else items[-at_most:]
