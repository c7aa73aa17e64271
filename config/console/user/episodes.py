"""A user's episodes as a picture: over time, by layer, with anchors and links; the one that was clicked in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from config.console.drawing.axes import Axis, make_axis
from memory.episodes.layers import find_idle_days, find_share, weigh_priority
from memory.episodes.models import Episode
from memory.episodes.selectors import get_episode, list_episode_messages, list_episodes
from memory.episodes.types import LAYERS, OpenEpisode
from memory.errors import NotFound
from memory.selectors.users import list_conversation_names
from memory.types import UserRef

SHOWN: Final = 200  # episodes in one picture; older ones are a click away
WIDTH: Final = 960
LANE: Final = 74
TOP: Final = 26
SIDE: Final = 64
LEAST: Final = 7.0  # width of an episode that took a minute
PARTS: Final = ("recency", "frequency", "anchor", "likeness")
WHY: Final = {
    "recency": "how lately it was spoken in or opened: .3, and half of it every two weeks",
    "frequency": "how often it was opened: .2 from ten times on",
    "anchor": ".3 for an anchor",
    "likeness": "how near it is to what was said in the last 30 days: up to .2",
}


@dataclass(frozen=True, slots=True)
class Box:
    """An episode in the picture."""

    id: UUID
    x: float
    y: float
    width: float
    layer: str
    is_anchor: bool
    is_chosen: bool
    title: str


@dataclass(frozen=True, slots=True)
class Arc:
    """A link between two episodes of the picture."""

    path: str
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class Life:
    """The picture: boxes in a lane for each layer, arcs between them, and days along the bottom."""

    boxes: list[Box]
    arcs: list[Arc]
    lanes: list[tuple[str, float]]
    days: list[tuple[float, str]]
    words: str
    breaks: list[tuple[float, str]]
    """Where the axis leaves out a time without episodes, and which."""
    width: int = WIDTH
    height: int = TOP + LANE * len(LAYERS) + 34


def list_page(*, user: UserRef, chosen_id: UUID | None, before: UUID | None, now: datetime) -> dict[str, Any]:
    """What the page shows. An episode that is not there is not chosen. In a tenant scope."""
    episodes = list_episodes(user=user, before=_find_place(user, before), limit=SHOWN)
    chosen = _find_chosen(user, chosen_id)
    names = list_conversation_names(user=user, ids={each.conversation_id for each in episodes})
    return {
        "life": draw_life(episodes, chosen_id=chosen.id if chosen else None),
        "episodes": episodes,
        "chosen": chosen,
        "conversation": list_conversation_names(user=user, ids=[chosen.conversation_id]) if chosen else names,
        "messages": list_episode_messages(user=user, episode=chosen) if chosen else [],
        "points": chosen.list_points(share=find_share(chosen, now=now)) if chosen else [],
        "priority": explain_priority(chosen, now=now) if chosen else [],
        "idle_days": round(find_idle_days(chosen, now=now), 1) if chosen else 0,
        "older": episodes[-1].id if len(episodes) == SHOWN else None,
    }


def _find_place(user: UserRef, before: UUID | None) -> tuple[datetime, UUID] | None:
    row = Episode.objects.filter(user_id=user.id, id=before).first() if before else None
    return (row.ended_at, row.id) if row else None


def _find_chosen(user: UserRef, chosen_id: UUID | None) -> OpenEpisode | None:
    try:
        return get_episode(user=user, episode_id=chosen_id) if chosen_id else None
    except NotFound:
        return None


def explain_priority(episode: OpenEpisode, *, now: datetime) -> list[dict[str, Any]]:
    """The parts of a priority in words: as of last night, or as it would be where no night has looked yet."""
    parts = episode.parts or weigh_priority(
        idle_days=find_idle_days(episode, now=now),
        accesses=episode.access_count,
        is_anchor=episode.is_anchor,
        likeness=0.0,
    )
    return [{"name": name, "value": value, "why": WHY[name]} for name, value in zip(PARTS, parts, strict=True)]


def draw_life(episodes: list[OpenEpisode], *, chosen_id: UUID | None) -> Life | None:
    """The picture of episodes, newest first as they are given; None without any. Pure."""
    if not episodes:
        return None
    spans = [(episode.started_at, episode.ended_at) for episode in episodes]
    axis = make_axis(spans, left=SIDE, right=WIDTH - 16 - LEAST)
    boxes = [_draw_box(episode, axis, is_chosen=episode.id == chosen_id) for episode in episodes]
    places = {box.id: box for box in boxes}
    arcs = [arc for episode in episodes for arc in _draw_arcs(episode, places)]
    return Life(
        boxes=boxes,
        arcs=arcs,
        lanes=[(layer, TOP + LANE * place) for place, layer in enumerate(LAYERS)],
        days=axis.list_days(apart=1.5 * LANE),
        breaks=[(round(x, 1), f"{first:%-d %b %Y} to {last:%-d %b %Y}") for x, first, last in axis.list_breaks()],
        words=_tell(episodes),
    )


def _draw_box(episode: OpenEpisode, axis: Axis, *, is_chosen: bool) -> Box:
    x = axis.find_x(episode.started_at)
    width = max(LEAST, axis.find_x(episode.ended_at) - x)
    title = (
        f"{episode.started_at:%-d %b %Y, %H:%M}, {len(episode.message_ids)} messages: {episode.contents.headline.text}"
    )
    return Box(
        id=episode.id,
        x=round(x, 1),
        y=TOP + LANE * LAYERS.index(episode.layer) + 26,
        width=round(width, 1),
        layer=episode.layer,
        is_anchor=episode.is_anchor,
        is_chosen=is_chosen,
        title=title,
    )


def _draw_arcs(episode: OpenEpisode, places: dict[UUID, Box]) -> list[Arc]:
    links = [(episode.continues_from, "continues"), *((other, "related") for other in episode.related_to)]
    own = places[episode.id]
    arcs = []
    for other_id, kind in links:
        other = places.get(other_id) if other_id else None
        if other is None or (kind == "related" and other_id == episode.continues_from):
            continue
        x1, x2 = other.x + other.width / 2, own.x + own.width / 2
        top = min(own.y, other.y) - 6 - min(26.0, abs(x2 - x1) / 12)
        path = f"M {x1:.1f} {other.y} Q {(x1 + x2) / 2:.1f} {top:.1f} {x2:.1f} {own.y}"
        arcs.append(Arc(path, kind, "goes on with" if kind == "continues" else "speaks of the same"))
    return arcs


def _tell(episodes: list[OpenEpisode]) -> str:
    counts = ", ".join(f"{sum(one.layer == layer for one in episodes)} {layer}" for layer in LAYERS)
    anchors = sum(one.is_anchor for one in episodes)
    return f"{len(episodes)} episodes: {counts}; {anchors} anchors."
