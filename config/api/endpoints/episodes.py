"""Episodes: what was talked about, block by block (SPEC 11)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.answers import make_actor, make_done, show_message
from config.api.endpoints.episode_structs import (
    AnchorBody,
    CloseAnswer,
    CloseBody,
    EpisodePage,
    EpisodesQuery,
    EpisodeView,
    UnpackedEpisode,
    view_episode,
    view_unpacked,
)
from config.api.schema import describe
from config.api.views import ApiView
from memory.episodes.accesses import note_accesses
from memory.episodes.anchoring import close_sessions, set_anchor
from memory.episodes.selectors import get_episode, get_episode_owner, list_episode_messages, list_episodes
from memory.errors import NotFound
from memory.selectors.users import find_conversation_id, get_user, list_conversation_names
from memory.services.answered_requests import Done
from memory.tenants.types import Scope
from memory.types import UserRef


class Episodes(ApiView):
    """`GET /v1/users/{user_id}/episodes`."""

    scopes = {"GET": Scope.EPISODES_READ}

    @describe(
        summary="A user's episodes, newest first",
        description=(
            "An episode is a block of one conversation about one topic. Each is shown in as many words as its layer "
            "has: a cold one has a headline and tags. The messages themselves are never touched by layers."
        ),
        tag="episodes",
        query=EpisodesQuery,
        path={"user_id": "Your id of the user."},
        answers={200: EpisodePage},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> Response:
        query, tenant_id, now = self.read_query(EpisodesQuery), self.caller.tenant_id, timezone.now()
        before = self.read_after(query, "episodes", tuple[datetime, UUID])
        with self.in_tenant():
            user = get_user(tenant_id=tenant_id, external_id=user_id)
            rows = list_episodes(
                user=user,
                layer=query.layer,
                conversation_id=find_conversation(user, query.conversation_id),
                since=query.since,
                until=query.until,
                before=before,
                limit=query.limit + 1,
            )
            names = list_conversation_names(user=user, ids={row.conversation_id for row in rows})
        return self.answer_page(
            query,
            "episodes",
            rows,
            render=lambda row: view_episode(row, names=names, now=now),
            position_of=lambda row: (row.ended_at, row.id),
        )


def find_conversation(user: UserRef, external_id: str | None) -> UUID | None:
    """Our id of a conversation. Raises NotFound for one that the user does not have."""
    if external_id is None:
        return None
    found = find_conversation_id(user=user, external_id=external_id)
    if found is None:
        raise NotFound("This conversation does not exist.", fields={"conversation_id": "unknown"})
    return found


class Episode(ApiView):
    """`GET /v1/episodes/{id}`."""

    scopes = {"GET": Scope.EPISODES_READ}

    @describe(
        summary="One episode",
        description="As in the list. Reading it is no access: nothing changes by it.",
        tag="episodes",
        path={"episode_id": "Our id of the episode."},
        answers={200: EpisodeView},
        errors=(404,),
    )
    def get(self, request: Request, episode_id: UUID) -> Response:
        with self.in_tenant():
            user = get_episode_owner(tenant_id=self.caller.tenant_id, episode_id=episode_id)
            episode = get_episode(user=user, episode_id=episode_id)
            names = list_conversation_names(user=user, ids=[episode.conversation_id])
        return Response(view_episode(episode, names=names, now=timezone.now()))


class UnpackEpisode(ApiView):
    """`POST /v1/episodes/{id}/unpack`."""

    scopes = {"POST": Scope.EPISODES_READ}

    @describe(
        summary="An episode with everything that was said in it; the access is noted",
        description=(
            "Its messages word for word, and the layer as it stands. Nothing else changes now: at night the accesses "
            "count for its priority and its rest ends with the last of them."
        ),
        tag="episodes",
        path={"episode_id": "Our id of the episode."},
        answers={200: UnpackedEpisode},
        errors=(404,),
    )
    def post(self, request: Request, episode_id: UUID) -> Response:
        now = timezone.now()
        with self.in_tenant():
            user = get_episode_owner(tenant_id=self.caller.tenant_id, episode_id=episode_id)
            episode = get_episode(user=user, episode_id=episode_id)
            messages = list_episode_messages(user=user, episode=episode)
            names = list_conversation_names(user=user, ids=[episode.conversation_id])
            note_accesses(user=user, episode_ids=[episode_id], now=now)
        views = [show_message(message, conversation=names[message.conversation_id]) for message in messages]
        return Response(view_unpacked(episode, names=names, now=now, messages=views))


class AnchorEpisode(ApiView):
    """`POST /v1/episodes/{id}/anchor`."""

    scopes = {"POST": Scope.EPISODES_WRITE}

    @describe(
        summary="Keep an episode, or keep it no longer",
        description=(
            "An anchor never goes cold. What the user says in words (“remember this forever”) does the same; "
            "`is_anchor` false takes either back. Its layer changes at night."
        ),
        tag="episodes",
        body=AnchorBody,
        path={"episode_id": "Our id of the episode."},
        answers={200: EpisodeView},
        errors=(404, 409),
        is_done_once=True,
    )
    def post(self, request: Request, episode_id: UUID) -> Response:
        body, now = self.read_body(AnchorBody), timezone.now()
        with self.in_tenant():
            user = get_episode_owner(tenant_id=self.caller.tenant_id, episode_id=episode_id)

        def perform() -> Done:
            actor = make_actor(self.caller)
            episode = set_anchor(user=user, episode_id=episode_id, is_anchor=body.is_anchor, actor=actor, now=now)
            with self.in_tenant():
                names = list_conversation_names(user=user, ids=[episode.conversation_id])
            return make_done(view_episode(episode, names=names, now=now), message_ids=episode.message_ids)

        return self.once(body, perform, find_user=lambda: user)


class CloseEpisodes(ApiView):
    """`POST /v1/users/{user_id}/episodes/close`."""

    scopes = {"POST": Scope.EPISODES_WRITE}

    @describe(
        summary="End the running sessions of a user and cut them into episodes now",
        description=(
            "Otherwise a session ends with half an hour of silence. What is said after the call begins a session of "
            "its own. Without `conversation_id` all running sessions of the user end."
        ),
        tag="episodes",
        body=CloseBody,
        is_body_optional=True,
        path={"user_id": "Your id of the user."},
        answers={200: CloseAnswer},
        errors=(404, 409),
        is_done_once=True,
    )
    def post(self, request: Request, user_id: str) -> Response:
        body = self.read_optional_body(CloseBody)
        with self.in_tenant():
            user = get_user(tenant_id=self.caller.tenant_id, external_id=user_id)
            conversation_id = find_conversation(user, body.conversation_id)

        def perform() -> Done:
            made = close_sessions(
                user=user, conversation_id=conversation_id, actor=make_actor(self.caller), now=timezone.now()
            )
            return make_done(CloseAnswer(episodes=made))

        return self.once(body, perform, find_user=lambda: user)
