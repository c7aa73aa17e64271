"""The pack as chat messages: rules and tagged memory in one system message, the window, the question (SPEC P-1).

Best first, second best last: models read the edges of a long block best (Liu et al. 2023, "Lost in the middle").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import partial
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, TypeVar
from uuid import UUID
from xml.sax.saxutils import quoteattr

from memory.epistemics import find_unproven_type
from memory.extraction.types import Unproven
from memory.types import Fact, RecordedMessage
from patterns.text.excerpts import PENDING_CHARACTERS
from retrieval.pack.sanitiser import sanitise
from retrieval.pack.summaries import Line, SummaryBlock
from retrieval.types import Directive, EpisodeCard, FactExcerpt, FactWords, KnowledgePassage

Item = TypeVar("Item")
Clean = Callable[[str], str]
Write = Callable[[Callable[..., str], Any], str]
EPISODE_CONFIDENCE = "verbatim"
BLOCK_SEPARATOR = "\n\n"
_BRACKETS = str.maketrans("[]", "()")
_NEEDS_ESCAPES = re.compile('[&<>"\n\r\t]')  # nearly no value of an attribute: then it is written as it is


def order_for_reading(items: Sequence[Item]) -> list[Item]:
    """Best first, second best last, the rest falling towards the middle."""
    front, back = list(items[0::2]), list(items[1::2])
    return front + back[::-1]


def render_messages(
    *,
    directives: Sequence[Directive],
    facts: Sequence[Fact],
    unproven: Sequence[Unproven] = (),
    cards: Sequence[EpisodeCard],
    pending: Sequence[RecordedMessage],
    window: Sequence[RecordedMessage],
    knowledge: Sequence[KnowledgePassage] = (),
    question: str,
    words: FactWords = MappingProxyType({}),
    clean: Clean = sanitise,
    write: Write | None = None,
    summaries: Sequence[str] = (),
) -> list[dict[str, str]]:
    """Messages for a chat-completions call. Text from memory is sanitised here and nowhere changes the record.

    `write` makes the block of an item where the caller has made some already.
    """
    write = write or (lambda render, item: render(item, clean=clean))
    shown = {message.id for message in window}
    blocks = [directive.text for directive in directives]
    blocks.extend(write(partial(render_fact, excerpts=words.get(fact.id, ())), fact) for fact in facts)
    blocks.extend(write(render_unproven, one) for one in unproven)
    blocks.extend(
        write(render_card, card) for card in order_for_reading([c for c in cards if c.message_id not in shown])
    )
    blocks.extend(summaries)
    blocks.extend(write(render_pending, message) for message in pending if message.id not in shown)
    blocks.extend(write(render_passage, one) for one in knowledge)
    messages = [{"role": "system", "content": BLOCK_SEPARATOR.join(blocks)}]
    messages.extend({"role": one.role, "content": render_recent(one, clean=clean)} for one in window)
    messages.append({"role": "user", "content": question})
    return messages


@dataclass(frozen=True, slots=True)
class Places:
    """The place of everything remembered in the order in which the model reads it, from 1."""

    items: dict[UUID, int] = field(default_factory=dict)
    """Of facts, what is unproven, cards, pending messages and the window, by id. What the window shows has the place
    that it has there."""
    entities: range = range(0)
    """Of entities, lines and passages of knowledge, in the order of the rendering."""
    lines: range = range(0)
    passages: range = range(0)


def list_places(
    *,
    facts: Sequence[Fact],
    unproven: Sequence[Unproven],
    cards: Sequence[EpisodeCard],
    pending: Sequence[RecordedMessage],
    window: Sequence[RecordedMessage],
    entity_count: int = 0,
    line_count: int = 0,
    passage_count: int = 0,
) -> Places:
    """The places of `render_messages`."""
    shown = {message.id for message in window}
    before = [*(fact.id for fact in facts), *(one.id for one in unproven)]
    before += [card.message_id for card in order_for_reading([c for c in cards if c.message_id not in shown])]
    waiting = [message.id for message in pending if message.id not in shown]
    entities = range(len(before) + 1, len(before) + 1 + entity_count)
    lines = range(entities.stop, entities.stop + line_count)
    passages = range(lines.stop + len(waiting), lines.stop + len(waiting) + passage_count)
    items = {one: place for place, one in enumerate(before, start=1)}
    items |= {one: place for place, one in enumerate(waiting, start=lines.stop)}
    items |= {message.id: place for place, message in enumerate(window, start=passages.stop)}
    return Places(items, entities, lines, passages)


def render_recent(message: RecordedMessage, *, clean: Clean = sanitise) -> str:
    """The words of a message of the window. A stored note of the system is a record and no order: a model obeys what
    has this role, and results of tools and keys of single users are stored under it too."""
    said = clean(message.content)
    return f'<recalled role="system">{said}</recalled>' if message.role == "system" else said


def render_passage(passage: KnowledgePassage, *, clean: Clean = sanitise) -> str:
    """A passage of a corpus as a tagged block with its citation. It is the product's knowledge and no word of the
    user's: what may harm them stands before it."""
    attributes = {
        "source": "corpus",
        "corpus": passage.corpus,
        "citation": passage.citation,
        "title": clean(passage.title),
    }
    return f"<knowledge {_write(attributes)}>\n{clean(passage.text)}\n</knowledge>"


def render_fact(
    fact: Fact, *, excerpts: Sequence[FactExcerpt] = (), clean: Clean = sanitise, zone: tzinfo = UTC
) -> str:
    """One fact as a tagged block with the words it rests on (T-3); a disputed one says so."""
    attributes = {
        "source": "user_knowledge",
        "type": fact.knowledge_type,
        "key": fact.knowledge_key,
        "confidence": f"{fact.confidence:.2f}",
        "provenance": fact.provenance,
        "valid_since": render_day(fact.valid_at, zone),
        "epistemic_type": fact.epistemic_type,
        "extracted_from": fact.extracted_from,
    }
    if fact.expires_at:
        attributes["expires"] = render_day(fact.expires_at, zone)
    if fact.is_disputed:
        attributes["disputed"] = "true"
    lines = [clean(str(fact.value)), *(f"[user] {clean(excerpt.text)}" for excerpt in excerpts)]
    return f"<user_memory {_write(attributes)}>{chr(10).join(lines)}</user_memory>"


def render_unproven(one: Unproven, *, clean: Clean = sanitise, zone: tzinfo = UTC) -> str:
    """A candidate or an adaptive item as a tagged block that says what it is, with the user's own words (T-3)."""
    is_candidate = one.source == "candidate"
    attributes = {
        "source": one.source,
        "type": one.knowledge_type,
        "key": one.knowledge_key,
        "confidence": f"{one.confidence:.2f}",
        "provenance": "observation",
        "valid_since": render_day(one.said_at, zone),
        "epistemic_type": find_unproven_type(one.source, one.knowledge_type),
        "unverified" if is_candidate else "tentative": "true",
    }
    words = f"{clean(str(one.value))}\n[user] {clean(one.excerpt)}"
    return f"<user_memory {_write(attributes)}>{words}</user_memory>"


def render_card(card: EpisodeCard, *, clean: Clean = sanitise, zone: tzinfo = UTC) -> str:
    """One episode as a tagged block: what came before it, then its own words; the snippet only as a label."""
    attributes = {
        "source": "episode",
        "confidence": EPISODE_CONFIDENCE,
        "provenance": f"{card.role}_message",
        "valid_since": render_day(card.created_at, zone),
        "epistemic_type": card.memory_type,
    }
    if card.speaker:
        attributes["speaker"] = clean(card.speaker)
    if card.snippet:
        attributes["snippet"] = clean(card.snippet)
    lines = [f"[{message.role}] {clean(message.text)}" for message in reversed(card.span_context)]
    lines.append(clean(card.raw_excerpt))
    return f"<user_memory {_write(attributes)}>{chr(10).join(lines)}</user_memory>"


SUMMARY_OPENS, SUMMARY_CLOSES = '<user_memory source="episodes" confidence="verbatim">', "</user_memory>"


def render_blocks(
    blocks: Sequence[SummaryBlock], *, clean: Callable[[UUID, str], str], zone: tzinfo = UTC
) -> list[str]:
    """Episodes as one tagged block, oldest first: the day, then who said what, word for word."""
    if not blocks:
        return []
    lines, days = [SUMMARY_OPENS], set()
    for block in blocks:
        day = render_day(block.started_at, zone)
        if day not in days:  # blocks of one day stand under one date
            days.add(day)
            lines.append(day)
        lines.extend(render_line(line, clean=clean) for line in block.lines)
    return ["\n".join([*lines, SUMMARY_CLOSES])]


def render_day(moment: datetime, zone: tzinfo) -> str:
    """The day of a moment where the user lives: what was said at night belongs to the day that they call it."""
    return moment.astimezone(zone).date().isoformat()


def render_line(line: Line, *, clean: Callable[[UUID, str], str]) -> str:
    """One sentence with who said it. A name is words of a stranger too, and stays between its brackets."""
    message = line.message
    who = clean(message.message_id, render_name(message.speaker)) if message.speaker else message.role
    return f"[{who}] {clean(message.message_id, line.text)}"


def render_name(name: str) -> str:
    """The name of a speaker on one line and without brackets of its own."""
    return " ".join(name.split()).translate(_BRACKETS)


_KIND = itemgetter("kind")


def order_entities(entities: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Entities in the order in which they are rendered: by kind, the kind of the first one first."""
    kinds = list(dict.fromkeys(map(_KIND, entities)))
    return sorted(entities, key=lambda one: kinds.index(one["kind"]))


def render_entities(entities: Sequence[Mapping[str, Any]], *, clean: Clean) -> list[str]:
    """What the running conversation speaks of, by kind."""
    if not entities:
        return []
    said = "\n".join(
        f"{kind}: {', '.join(clean(one['text']) for one in own)}"
        for kind, own in groupby(order_entities(entities), _KIND)
    )
    return [f'<user_memory source="entities">{said}</user_memory>']


def render_pending(message: RecordedMessage, *, clean: Clean = sanitise) -> str:
    """One message that extraction has not read yet (SPEC X-5)."""
    return f"<pending_raw>{clean(message.content[:PENDING_CHARACTERS])}</pending_raw>"


def _write(attributes: dict[str, str]) -> str:
    return " ".join([f"{name}={_quote(value)}" for name, value in attributes.items()])


def _quote(value: str) -> str:
    return quoteattr(value) if _NEEDS_ESCAPES.search(value) else f'"{value}"'
