"""What a person is shown of their memory: values for pages and for `/v1/me` alike. Reads only, in a tenant scope."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memory.episodes.selectors import get_episode, list_episodes
from memory.episodes.types import OpenEpisode
from memory.errors import NotFound
from memory.facts.reading import get_fact, list_facts_by_id
from memory.kept.reading import list_items
from memory.kept.types import KeptDocument
from memory.profile.facts import list_fact_groups
from memory.profile.types import Adjusted, FactCard
from memory.selectors.messages import MessagePosition, list_messages, list_messages_by_id
from memory.selectors.users import list_conversation_names
from memory.types import GUARANTEED_TYPES, Fact, RecordedMessage, UserRef
from patterns.text.excerpts import make_excerpt
from retrieval.reasons import CHOSEN
from retrieval.receipts.reading import Uses, count_fact_uses, get_receipt, list_left_out_facts


@dataclass(frozen=True, slots=True)
class Said:
    """Words that somebody said."""

    message_id: UUID
    role: str
    text: str
    said_at: datetime
    conversation: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """A fact as its person sees it: what, from which words, and where it was used."""

    fact: Fact
    state: str
    words: tuple[Said, ...]
    uses: Uses
    adjusted: Adjusted | None = None
    """The last step by which feedback moved its confidence."""

    @property
    def value(self) -> str:
        """The value for people."""
        return write_value(self.fact.value)

    @property
    def may_be_corrected(self) -> bool:
        """Whether a person may state another value."""
        return self.fact.knowledge_type in GUARANTEED_TYPES

    @property
    def evidence(self) -> tuple[UUID, ...]:
        """The messages that go if the fact is to be forgotten."""
        return tuple(one.message_id for one in self.words)


@dataclass(frozen=True, slots=True)
class Source:
    """Words that a reply was given, or was not, and why not."""

    said: Said | None
    fact: Known | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """What one reply knew."""

    receipt_id: UUID
    made_at: datetime
    used: tuple[Source, ...]
    left_out: tuple[Source, ...]
    degraded: tuple[str, ...]


def list_known(*, user: UserRef, now: datetime) -> tuple[list[Known], list[Known]]:
    """All that is known, and what was known and is over. Six statements, however much it is."""
    active, closed = list_fact_groups(user=user, now=now)
    cards = [card for group in (*active, *closed) for card in group.cards]
    known = make_known(user, cards)
    is_active = {card.fact.id: card.fact.is_active for card in cards}
    return [one for one in known if is_active[one.fact.id]], [one for one in known if not is_active[one.fact.id]]


def get_known(*, user: UserRef, fact_id: UUID) -> Known:
    """One fact. Raises NotFound."""
    fact = get_fact(user=user, fact_id=fact_id)
    return make_known_of_facts(user, [fact])[0]


def make_known(user: UserRef, cards: Sequence[FactCard]) -> list[Known]:
    """Cards with the words that are still there and the replies that they were used in."""
    cores = [line.message for card in cards for span in card.spans for line in span.lines if line.is_core]
    names = name_conversations(user, cores)
    uses = count_fact_uses(user=user, fact_ids=[card.fact.id for card in cards])
    found = []
    for card in cards:
        lines = (line.message for span in card.spans for line in span.lines if line.is_core)
        words = tuple(make_said(message, names) for message in lines)
        adjusted = card.adjusted[-1] if card.adjusted else None
        found.append(Known(card.fact, card.state, words, uses.get(card.fact.id, Uses()), adjusted))
    return found


def make_known_of_facts(user: UserRef, facts: Sequence[Fact]) -> list[Known]:
    """As `make_known`, of facts alone."""
    messages = list_messages_by_id(user=user, message_ids={mid for fact in facts for mid in fact.evidence_message_ids})
    names = name_conversations(user, messages.values())
    uses = count_fact_uses(user=user, fact_ids=[fact.id for fact in facts])
    return [
        Known(
            fact,
            "disputed" if fact.is_disputed else "active" if fact.is_active else "closed",
            tuple(make_said(messages[mid], names) for mid in fact.evidence_message_ids if mid in messages),
            uses.get(fact.id, Uses()),
        )
        for fact in facts
    ]


def name_conversations(user: UserRef, messages: Iterable[RecordedMessage]) -> dict[UUID, str]:
    """The app's own ids of the conversations of some messages."""
    ids = {message.conversation_id for message in messages}
    return list_conversation_names(user=user, ids=ids) if ids else {}


def make_said(message: RecordedMessage, names: dict[UUID, str]) -> Said:
    """A message as words with a date."""
    text = make_excerpt(message.content, memory_type=message.memory_type)
    return Said(message.id, message.role, text, message.created_at, names.get(message.conversation_id, ""))


def list_said(*, user: UserRef, message_ids: Iterable[UUID]) -> list[Said]:
    """Some messages that are still there, oldest first."""
    found = list_messages_by_id(user=user, message_ids=message_ids)
    names = name_conversations(user, found.values())
    return [make_said(one, names) for one in sorted(found.values(), key=lambda one: (one.created_at, one.seq))]


def list_told(
    *, user: UserRef, before: tuple[datetime, UUID] | None = None
) -> tuple[list[OpenEpisode], dict[UUID, str]]:
    """Episodes, newest first, one more than a page has, with the names of their conversations."""
    episodes = list_episodes(user=user, before=before, limit=settings.UNDE_TUNING.PAGE_EPISODES + 1)
    return episodes, list_conversation_names(user=user, ids={one.conversation_id for one in episodes})


def list_kept(*, user: UserRef, now: datetime, start: int = 0) -> list[KeptDocument]:
    """Documents that the app keeps, the latest change first, one more than a page has."""
    return list_items(user=user, prefix=(), now=now, start=start, limit=settings.UNDE_TUNING.PAGE_ITEMS + 1)


def get_kept(*, user: UserRef, item_id: UUID, now: datetime) -> KeptDocument:
    """One of them. Raises NotFound."""
    for start in range(0, settings.UNDE_TUNING.KEPT_LOOKED_THROUGH, settings.UNDE_TUNING.PAGE_ITEMS):
        page = list_items(user=user, prefix=(), now=now, start=start, limit=settings.UNDE_TUNING.PAGE_ITEMS)
        for item in page:
            if item.id == item_id:
                return item
        if len(page) < settings.UNDE_TUNING.PAGE_ITEMS:
            break
    raise NotFound("This item does not exist.", fields={"item_id": "unknown"})


def get_sources(*, user: UserRef, receipt_id: UUID) -> Sources:
    """What a reply knew: words used, and words left out with the reason. Raises ReceiptNotFound, ReceiptPruned.

    Words that were forgotten since are not there any more.
    """
    receipt = get_receipt(receipt_id=receipt_id, tenant_id=user.tenant_id)
    if receipt.user_id != user.id:
        raise NotFound("This receipt does not exist.", fields={"receipt_id": "unknown"})
    why = dict(zip(receipt.chosen_ids, receipt.decision_reasons, strict=True))
    taken = [mid for mid, reason in why.items() if reason == CHOSEN]
    passed_over = [mid for mid, reason in why.items() if reason != CHOSEN][: settings.UNDE_TUNING.PAGE_SOURCES]
    recent = [mid for mid in (*receipt.recent_ids, *receipt.line_ids) if mid not in why]
    gone = list_left_out_facts(receipt)
    facts = list_facts_by_id(user=user, fact_ids=[*receipt.fact_ids, *(fact_id for fact_id, _ in gone)])
    known = {one.fact.id: one for one in make_known_of_facts(user, list(facts.values()))}
    said = {one.message_id: one for one in list_said(user=user, message_ids=[*taken, *passed_over, *recent])}
    used = [Source(None, known[one]) for one in receipt.fact_ids if one in known]
    used += [Source(said[one], None) for one in dict.fromkeys([*taken, *recent]) if one in said]
    left_out = [Source(None, known[one], reason) for one, reason in gone if one in known]
    left_out += [Source(said[one], None, why[one]) for one in passed_over if one in said and one not in recent]
    return Sources(receipt.id, receipt.created_at, tuple(used), tuple(left_out), tuple(receipt.degraded_reasons))


def write_value(value: Any) -> str:
    """A value of a fact or of a kept item for people: no underscores, no braces around a single word. Pure."""
    if isinstance(value, str):
        return value.replace("_", " ")
    if isinstance(value, dict):
        return ", ".join(f"{write_value(name)}: {write_value(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(write_value, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool) or value is None else str(value)


def find_episode_place(*, user: UserRef, episode_id: UUID | None) -> tuple[datetime, UUID] | None:
    """The place of an episode in the list; None for one that is not there."""
    if episode_id is None:
        return None
    try:
        episode = get_episode(user=user, episode_id=episode_id)
    except NotFound:
        return None
    return episode.ended_at, episode.id


def list_conversations_whole(*, user: UserRef, in_scope: Callable[[], Any]) -> list[tuple[str, list[Said]]]:
    """All that was said, by conversation, each in its order. Read a page at a time; forgotten words are not there."""
    grouped: dict[UUID, list[RecordedMessage]] = {}
    after: MessagePosition | None = None
    while True:
        with in_scope():
            rows = list_messages(user=user, after=after, limit=settings.UNDE_TUNING.MAX_PAGE)
        for row in rows:
            grouped.setdefault(row.conversation_id, []).append(row)
        if len(rows) < settings.UNDE_TUNING.MAX_PAGE:
            break
        after = MessagePosition(rows[-1].created_at, rows[-1].seq, rows[-1].id)
    with in_scope():
        names = list_conversation_names(user=user, ids=grouped)
    return [
        (names.get(key, ""), [Said(one.id, one.role, one.content, one.created_at, names.get(key, "")) for one in rows])
        for key, rows in grouped.items()
    ]
