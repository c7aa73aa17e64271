"""Episodes as the pack takes them: which messages may be worth a line, what has left the window, what orients (L-3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Any, Final
from uuid import UUID

from memory.database.queries import Query, Rows
from memory.episodes.contents import Glance
from memory.episodes.entities import list_entities
from memory.episodes.storing import open_contents
from memory.sealing.errors import SealBroken
from memory.sealing.vault import UserVault
from memory.tenants.scope import ask
from memory.types import RecordedMessage, UserRef
from patterns.text.arabic import normalise_arabic
from patterns.text.data_files import read_lines
from patterns.text.sentences import split_sentences
from patterns.text.tokens import tokenise
from retrieval.pack import summaries
from retrieval.pack.summaries import Layers, Remembered, count_shared, want_words
from retrieval.search.questions import Question
from retrieval.sql import write_array

CONSIDERED: Final = 120  # hits that may be worth a line: 4,000 tokens hold about as many
OPENED: Final = 8  # episodes of which the stored words are read: those of the best hits
LATEST: Final = 2  # episodes that orient
OVERFLOW: Final = 30  # messages that left the window of the running session
READ_CHARACTERS: Final = 4_000
MOST_ENTITIES: Final = 12
ENTITY_CHARACTERS: Final = 400  # of each message of the window that are read for names
TOKENS_A_HIT: Final = 25  # of the bound of a pack: so many hits are read
LEAST_CONSIDERED: Final = 24

_SWITCH: Final = "SELECT coalesce(settings -> 'has_layers' <> 'false'::jsonb, true) FROM tenant WHERE id = %s::uuid"
# Hits as `Remembered` has them, each in need of a word. The words of the first few episodes come along, each with its
# best hit.
# Indexes: primary keys of memory_message and episode_message, owner_of_an_episode.
_HITS: Final = """
WITH hit AS (
  SELECT t.place, m.id, m.role, m.speaker, left(m.content, %(characters)s::int) AS said, m.created_at,
         e.id AS episode_id, e.layer, e.started_at
    FROM unnest(%(message_ids)s::text::uuid[]) WITH ORDINALITY AS t (id, place)
    -- Message by message, whatever the planner believes of the tables: a join read every row against every other.
    CROSS JOIN LATERAL (
      SELECT id, role, speaker, content, created_at FROM memory_message
       WHERE user_id = %(user_id)s::uuid AND id = t.id AND forgotten_at IS NULL LIMIT 1) m
    LEFT JOIN LATERAL (
      SELECT episode_id FROM episode_message WHERE user_id = %(user_id)s::uuid AND message_id = t.id LIMIT 1) p ON true
    LEFT JOIN LATERAL (
      SELECT id, layer, started_at FROM episode
       WHERE user_id = %(user_id)s::uuid AND id = p.episode_id
         AND (%(as_of)s::timestamptz IS NULL OR cut_at <= %(as_of)s::timestamptz) LIMIT 1) e ON true),
opened AS (
  SELECT episode_id, min(place) AS place FROM hit WHERE episode_id IS NOT NULL
   GROUP BY episode_id ORDER BY min(place) LIMIT %(opened)s::int)
SELECT h.id, h.role, h.speaker, h.said, h.created_at, h.place::int - 1, h.episode_id,
       coalesce(h.layer, 'hot'), h.started_at, true,
       CASE WHEN o.place IS NOT NULL
            THEN (SELECT sealed FROM episode WHERE user_id = %(user_id)s::uuid AND id = o.episode_id) END
  FROM hit h LEFT JOIN opened o ON o.place = h.place
 ORDER BY h.place
"""
# Index: episodes_of_a_user_newest_first.
_LATEST: Final = """
SELECT e.id, e.layer, e.started_at, e.ended_at, e.sealed,
       (SELECT array_agg(p.message_id ORDER BY p.place) FROM episode_message p
         WHERE p.user_id = e.user_id AND p.episode_id = e.id)
  FROM episode e
 WHERE e.user_id = %(user_id)s::uuid AND (%(as_of)s::timestamptz IS NULL OR e.cut_at <= %(as_of)s::timestamptz)
 ORDER BY e.ended_at DESC, e.id DESC LIMIT %(latest)s::int
"""
# What was said before the window and is in no episode yet. Nothing before the latest episode of the conversation is
# looked at: it would be all that was ever said there. Indexes: messages_as_said, episodes_of_a_conversation.
_OVERFLOW: Final = """
SELECT m.id, m.role, m.speaker, left(m.content, %s::int), m.created_at, 0, NULL::uuid, 'hot', NULL::timestamptz
  FROM memory_message m
 WHERE m.user_id = %s::uuid AND m.conversation_id = %s::uuid AND m.role = 'user' AND m.forgotten_at IS NULL
   AND m.created_at < %s::timestamptz
   AND m.created_at >= coalesce((
     SELECT e.ended_at FROM episode e WHERE e.user_id = %s::uuid AND e.conversation_id = %s::uuid
      ORDER BY e.started_at DESC LIMIT 1), '-infinity')
   AND NOT EXISTS (SELECT FROM episode_message p WHERE p.user_id = m.user_id AND p.message_id = m.id)
   AND NOT EXISTS (SELECT FROM memory_message n WHERE n.user_id = m.user_id AND n.replaces_id = m.id)
 ORDER BY m.created_at DESC, m.seq DESC LIMIT %s::int
"""


def count_lines(max_tokens: int | None) -> int:
    """How many hits may be worth a line in a pack of so many tokens."""
    return min(CONSIDERED, max(LEAST_CONSIDERED, (max_tokens or CONSIDERED * TOKENS_A_HIT) // TOKENS_A_HIT))


def list_bounds() -> tuple[int, ...]:
    """Every number here and in `summaries` that decides what a pack shows."""
    own = (CONSIDERED, OPENED, LATEST, OVERFLOW, READ_CHARACTERS, MOST_ENTITIES, ENTITY_CHARACTERS, TOKENS_A_HIT)
    lines = (summaries.ENOUGH_WORDS, summaries.BEGINNING)
    return (*own, LEAST_CONSIDERED, *lines, summaries.LEAST, summaries.LONGEST)


def write_switch(*, user: UserRef) -> Query:
    """The statement of `has_layers`, to be read ahead."""
    return Query(_SWITCH, [user.tenant_id])


def has_layers(*, user: UserRef) -> bool:
    """Whether the tenant's packs carry episodes where the caller does not say."""
    rows = ask(write_switch(user=user))
    return bool(rows[0][0]) if rows else True


def write_reads(
    *,
    user: UserRef,
    message_ids: Sequence[str],
    conversation_id: UUID | None,
    window: Sequence[RecordedMessage],
    as_of: datetime | None,
) -> list[Query]:
    """The statements of `gather_layers`, to be read ahead."""
    ids = write_array(message_ids)
    hits = {"user_id": user.id, "message_ids": ids, "characters": READ_CHARACTERS, "opened": OPENED, "as_of": as_of}
    reads = [Query(_HITS, hits), Query(_LATEST, {"user_id": user.id, "latest": LATEST, "as_of": as_of})]
    if conversation_id and window:
        whose = [user.id, conversation_id]
        values = [READ_CHARACTERS, *whose, window[0].created_at, *whose, OVERFLOW]
        reads.append(Query(_OVERFLOW, values))
    return reads


def sketch_layers(*, question: Question, window: Sequence[RecordedMessage], zone: tzinfo = UTC) -> Layers:
    """What a pack may take of episodes as far as question and window tell it. Pure."""
    return Layers(
        wanted=want_words(read_stems(question)),
        is_broad=is_broad(question),
        is_own_order=asks_own_order(question),
        entities=find_entities(window),
        zone=zone,
    )


def gather_layers(
    layers: Layers,
    *,
    user: UserRef,
    message_ids: Sequence[str],
    conversation_id: UUID | None,
    window: Sequence[RecordedMessage],
    as_of: datetime | None,
) -> Layers:
    """The sketch with everything of a user's episodes that a pack may take, for hits by id, best first. Reads only."""
    hits, latest, *overflow = [
        ask(read)
        for read in write_reads(
            user=user, message_ids=message_ids, conversation_id=conversation_id, window=window, as_of=as_of
        )
    ]
    layers.hits = [Remembered(*row[:10]) for row in hits]
    layers.overflow = [Remembered(*row) for row in overflow[0]] if overflow else []
    _add_episodes(layers, {row[6]: row[10] for row in hits if row[10] is not None}, latest, user)
    return layers


def read_stems(question: Question) -> frozenset[str]:
    """The words of a question, each as the stem under which it is found."""
    own = {term.lexeme for term in question.terms if ":" not in term.lexeme[:2]}
    return frozenset(own | {token.lexemes[0][0] for token in tokenise(question.text)})


def is_broad(question: Question) -> bool:
    """Whether many messages answer the question together."""
    return question.asks_for_summary or _asks(question, "asks_broad.txt")


def asks_own_order(question: Question) -> bool:
    """Whether it asks in which order things came, and not those that an assistant said."""
    return not question.asks_about_assistant and _asks(question, "asks_order.txt")


def _asks(question: Question, name: str) -> bool:
    return bool(_read_pattern(name).search(normalise_arabic(question.text.lower().replace("ё", "е"))))


@cache
def _read_pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{line})" for line in read_lines(name)))


def _add_episodes(layers: Layers, sealed: Mapping[UUID, bytes], latest: Rows, user: UserRef) -> None:
    """Headlines, how much of the question each summary covers, and what the latest episodes left open."""
    sealed = {**sealed, **{row[0]: row[4] for row in latest}}
    try:
        opened = dict(zip(sealed, open_contents([*sealed.values()], UserVault(user_id=user.id), Glance), strict=True))
    except SealBroken:  # words that no key opens are left out; messages are not sealed
        return
    for episode_id, glance in opened.items():
        layers.headlines[episode_id] = glance.headline.text
        layers.covered[episode_id] = count_shared([quote.text for quote in glance.summary], layers.wanted)
    for row in latest:
        layers.orientation.extend(_orient(row, opened[row[0]]))


def _orient(row: tuple[Any, ...], glance: Glance) -> list[Remembered]:
    """The headline of an episode and what it left open, as messages of one sentence."""
    episode_id, layer, started_at, ended_at, _, message_ids = row
    return [
        Remembered(message_ids[quote.place], "user", "", quote.text, ended_at, 0, episode_id, layer, started_at)
        for quote in (glance.headline, *glance.questions)
    ]


def find_entities(window: Sequence[RecordedMessage]) -> list[Mapping[str, Any]]:
    """Who and what the running conversation speaks of, dates and amounts, with the messages that say it."""
    sentences = [
        (message.content[start:end], place)
        for place, message in enumerate(window)
        for start, end in split_sentences(message.content[:ENTITY_CHARACTERS], longest=300)
    ]
    return [
        {
            "kind": entity.kind,
            "text": entity.text,
            "message_ids": [str(window[place].id) for place in entity.places],
        }
        for entity in list_entities(sentences)[:MOST_ENTITIES]
    ]
