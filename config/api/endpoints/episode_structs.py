"""Episodes over the wire (API.md): a topical block of what was said, in as many words as its layer shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec

from config.api.decoding import ExternalId, Instant, PageQuery, RequestBody
from config.api.describing import Moment, NextCursor, about, one_of
from config.api.endpoints.structs import MessageView
from memory.episodes.contents import Quote
from memory.episodes.layers import find_share
from memory.episodes.types import ANCHORS, LAYERS, OpenEpisode

LayerName = Literal["hot", "warm", "cold"]
assert set(LayerName.__args__) == set(LAYERS)  # type: ignore[attr-defined]  # one list, said twice for the document

EpisodeId = Annotated[UUID, about("Our id of the episode. It stays the same as long as its first message does.")]
MessageIds = Annotated[list[UUID], about("Our ids of the messages in which it was said.")]


class EpisodesQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which episodes of a user."""

    layer: Annotated[LayerName | None, about("Those of one layer alone.")] = None
    conversation_id: Annotated[ExternalId | None, about("Those of one conversation alone, by your id.")] = None
    since: Annotated[Instant | None, about("Those that were still going on at this time, or later.")] = msgspec.field(
        name="from", default=None
    )
    until: Annotated[Instant | None, about("Those that had begun by this time.")] = msgspec.field(
        name="to", default=None
    )


class AnchorBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether an episode is to be kept."""

    is_anchor: Annotated[bool, about("True: it never goes cold. False: it goes the way of all others.")]


class CloseBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which running session is over."""

    conversation_id: Annotated[ExternalId | None, about("Your id of the conversation. Left out: all of the user.")] = (
        None
    )


class QuoteView(msgspec.Struct, frozen=True):
    """A sentence as it was said."""

    text: Annotated[str, about("Word for word as it stands in the message.")]
    message_ids: MessageIds


class DecisionView(msgspec.Struct, frozen=True):
    """Something that was settled."""

    text: Annotated[str, about("Word for word as it stands in the message.")]
    reason: Annotated[str | None, about("The sentence after it, where that says why. Null where none does.")]
    message_ids: MessageIds


class EntityView(msgspec.Struct, frozen=True):
    """A name, a date or an amount."""

    text: Annotated[str, about("As it was written.")]
    kind: Annotated[str, one_of(("name", "date", "amount"), "What it is, by how it is written.")]
    message_ids: MessageIds


class EpisodeView(msgspec.Struct, frozen=True):
    """A topical block of a conversation, in as many words as its layer shows."""

    id: EpisodeId
    conversation_id: Annotated[str, about("Your id of the conversation.")]
    layer: Annotated[str, one_of(LAYERS, "How present it is. It changes at night alone.")]
    priority: Annotated[float, about("From 0 to 1; worked out at night. Above .7 it is one layer higher.")]
    is_anchor: Annotated[bool, about("Whether it never goes cold.")]
    anchored_by: Annotated[
        list[Annotated[str, one_of(ANCHORS, "A reason.")]],
        about("Why it is an anchor: somebody asked for it (`kept`), facts rest on it, a long project, instructions."),
    ]
    started_at: Annotated[Moment, about("When its first message was said.")]
    ended_at: Annotated[Moment, about("When its last message was said.")]
    last_accessed_at: Annotated[Moment | None, about("When it was opened last, as of last night.")]
    access_count: Annotated[int, about("How often it was opened, as of last night.")]
    headline: Annotated[str, about("What it is about: the first request, shortened to whole words.")]
    tags: Annotated[list[str], about("Three to five words for it, taken from the messages.")]
    summary: Annotated[list[QuoteView], about("Two to four sentences. Empty for a cold one.")]
    key_points: Annotated[
        list[QuoteView],
        about(
            "Further sentences in the order in which they were said. The longer it is at rest the fewer. Cold: none."
        ),
    ]
    decisions: Annotated[list[DecisionView], about("What the user settled.")]
    open_questions: Annotated[list[QuoteView], about("What was asked and not answered when it ended.")]
    entities: Annotated[list[EntityView], about("Names, dates and amounts, those said most often first.")]
    message_ids: Annotated[list[UUID], about("Our ids of its messages in the order in which they were said.")]
    continues_from: Annotated[UUID | None, about("The earlier episode that it goes on with; worked out at night.")]
    related_to: Annotated[list[UUID], about("Episodes that speak of the same; worked out at night.")]
    made_by: Annotated[str, about("The model that put it into words. Empty: its sentences are the messages' own.")]


class UnpackedEpisode(EpisodeView, frozen=True):
    """An episode with everything that was said in it."""

    messages: Annotated[list[MessageView], about("Its messages in the order in which they were said.")] = []


class EpisodePage(msgspec.Struct, frozen=True):
    """A page of episodes."""

    results: Annotated[list[EpisodeView], about("Newest first.")]
    next: NextCursor


class CloseAnswer(msgspec.Struct, frozen=True):
    """What closing gave."""

    episodes: Annotated[int, about("How many episodes were made.")]


def view_episode(episode: OpenEpisode, *, names: Mapping[UUID, str], now: datetime) -> EpisodeView:
    """An episode as the API shows it: a cold one without summary and key points. `names` are the conversations'."""
    return EpisodeView(**_list_fields(episode, names=names, now=now))


def view_unpacked(
    episode: OpenEpisode, *, names: Mapping[UUID, str], now: datetime, messages: Sequence[MessageView]
) -> UnpackedEpisode:
    """The same with its messages."""
    return UnpackedEpisode(**_list_fields(episode, names=names, now=now), messages=list(messages))


def _list_fields(episode: OpenEpisode, *, names: Mapping[UUID, str], now: datetime) -> dict[str, Any]:
    contents = episode.contents
    is_cold = episode.layer == "cold"
    points = [] if is_cold else episode.list_points(share=find_share(episode, now=now))
    return {
        "id": episode.id,
        "conversation_id": names[episode.conversation_id],
        "layer": episode.layer,
        "priority": round(episode.priority, 4),
        "is_anchor": episode.is_anchor,
        "anchored_by": list(episode.anchored_by),
        "started_at": episode.started_at,
        "ended_at": episode.ended_at,
        "last_accessed_at": episode.last_accessed_at,
        "access_count": episode.access_count,
        "headline": contents.headline.text,
        "tags": contents.tags,
        "summary": [] if is_cold else _view_quotes(episode, contents.summary),
        "key_points": _view_quotes(episode, points),
        "decisions": [
            DecisionView(each.text, each.reason, list(episode.name_messages(each.place))) for each in contents.decisions
        ],
        "open_questions": _view_quotes(episode, contents.questions),
        "entities": [
            EntityView(each.text, each.kind, list(episode.name_messages(*each.places))) for each in contents.entities
        ],
        "message_ids": list(episode.message_ids),
        "continues_from": episode.continues_from,
        "related_to": list(episode.related_to),
        "made_by": episode.made_by,
    }


def _view_quotes(episode: OpenEpisode, quotes: Sequence[Quote]) -> list[QuoteView]:
    return [QuoteView(each.text, list(episode.name_messages(each.place))) for each in quotes]
