"""A session cut into episodes and put into words. Pure: the same messages and marks, the same episodes (D-44)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from memory.episodes.boundaries import cut_session, split_sessions
from memory.episodes.contents import read_contents, read_session
from memory.episodes.recipe import ANCHOR_CUE
from memory.episodes.types import Cut, SaidMessage
from patterns.text.cues import find_cues, split_spoken

Sessions = list[Sequence[SaidMessage]]


def list_sessions(messages: Sequence[SaidMessage], *, gap: timedelta, closes: Sequence[datetime]) -> Sessions:
    """Messages of one conversation, oldest first, as sessions."""
    moments = [message.created_at for message in messages]
    return [messages[first:end] for first, end in split_sessions(moments, gap=gap, closes=closes)]


def cut_episodes(user_id: UUID, session: Sequence[SaidMessage], *, marks: Mapping[UUID, bool]) -> list[Cut]:
    """The episodes of a session. `marks` says of messages whether somebody asked that they be kept."""
    read = read_session(session)
    return [
        Cut(
            id=name_episode(user_id, session[first].id),
            session_started_at=session[0].created_at,
            started_at=session[first].created_at,
            ended_at=session[end - 1].created_at,
            message_ids=[message.id for message in session[first:end]],
            contents=read_contents(read, first, end),
            is_kept=any(is_kept(message, marks) for message in session[first:end]),
        )
        for first, end in cut_session(session)
    ]


def name_episode(user_id: UUID, first_message_id: UUID) -> UUID:
    """The id of an episode that begins with a message: the same whenever and wherever it is cut."""
    return uuid5(user_id, first_message_id.hex)


def is_kept(message: SaidMessage, marks: Mapping[UUID, bool]) -> bool:
    """What was asked last; where nobody asked, whether the user says that it is to be remembered for ever."""
    asked = marks.get(message.id)
    if asked is not None:
        return asked
    return message.role == "user" and ANCHOR_CUE in find_cues(split_spoken(message.content))
