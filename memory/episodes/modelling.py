"""Episodes put into words by a model, for tenants that want it: claimed, asked with no transaction open, written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.db import transaction

from memory.database.claims import claim_of_users
from memory.episodes.metrics import WORDED
from memory.episodes.models import Episode
from memory.episodes.raw import list_said_by_id
from memory.episodes.selectors import list_message_ids
from memory.episodes.storing import open_contents, seal_contents
from memory.episodes.types import SaidMessage
from memory.episodes.wording import apply_proposal, read_proposal, write_prompt
from memory.extraction.types import Completion
from memory.fence.consents import list_withheld
from memory.fence.user_lock import lock_user
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.types import UserRef


class Chats(Protocol):
    """A model that answers chat messages (`memory.extraction.model.openai_client`)."""

    def chat(self, messages: list[dict[str, str]]) -> Completion:
        """The reply. Raises ModelFailed."""
        ...


@dataclass(frozen=True, slots=True)
class WordClaim:
    """An episode that a model is to put into words."""

    user: UserRef
    episode_id: UUID


def claim_episodes(*, now: datetime, limit: int) -> list[WordClaim]:
    """Episodes of tenants that want a model's words and have none yet, newest first; each once. Commits."""
    with transaction.atomic():
        return [WordClaim(*row) for row in claim_of_users("claim_unworded_episodes_v2(%s, %s)", [now, limit])]


def word_episode(claim: WordClaim, *, client: Chats) -> str:
    """What came of it: worded, refused by the check, unreadable or gone. Raises ModelFailed. Writes."""
    opened = _open(claim)
    if opened is None:
        return _count("gone")
    row, messages = opened
    completion = client.chat(write_prompt(messages))
    proposal = read_proposal(completion.text)
    if proposal is None:
        return _count("unreadable")
    contents = open_contents([row.sealed], UserVault(user_id=claim.user.id))[0]
    worded = apply_proposal(contents, proposal, messages)
    if worded is None:
        return _count("refused")
    with tenant_scope(claim.user.tenant_id):
        lock_user(user=claim.user)
        # Cut anew meanwhile (a message was forgotten): then these words are of messages that are not in it any more.
        rows = Episode.objects.filter(user_id=claim.user.id, id=claim.episode_id, cut_at=row.cut_at, made_by="")
        sealed = seal_contents(worded, UserVault(user_id=claim.user.id))
        stored = rows.update(sealed=sealed, made_by=completion.model[:120] or "model")
    return _count("worded" if stored else "gone")


def _open(claim: WordClaim) -> tuple[Episode, list[SaidMessage]] | None:
    with tenant_scope(claim.user.tenant_id):
        row = Episode.objects.filter(user_id=claim.user.id, id=claim.episode_id).first()
        if row is None or "model" in list_withheld(user=claim.user):
            return None
        ids = list_message_ids(user=claim.user, episode_ids=[row.id]).get(row.id, [])
        messages = list_said_by_id(user=claim.user, message_ids=ids)
    return (row, messages) if len(messages) == len(ids) else None


def _count(outcome: str) -> str:
    WORDED.labels(outcome).inc()
    return outcome
