"""Asking the service as a person of the cast."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from memory.selectors.users import find_conversation_id
from memory.tenants.scope import tenant_scope
from retrieval.pipeline import build_context_pack, search_messages
from retrieval.types import ContextPack, ContextQuery, SearchQuery, SearchResult
from tests.cast import Chatter


def search(person: Chatter, text: str, *, now: datetime | None = None, **more: Any) -> SearchResult:
    """Search the person's messages."""
    pipeline = {"pipeline": more.pop("pipeline")} if "pipeline" in more else {}
    user = person.ref
    with tenant_scope(person.tenant.id):
        return search_messages(SearchQuery(user=user, text=text, **more), now=now or timezone.now(), **pipeline)


def find_texts(person: Chatter, text: str, **more: Any) -> list[str]:
    """The excerpts that a search finds, best first."""
    return [card.raw_excerpt for card in search(person, text, **more).results]


def build_pack(person: Chatter, text: str, *, now: datetime | None = None, **more: Any) -> ContextPack:
    """A pack for the person's next reply in their conversation."""
    pipeline = {"pipeline": more.pop("pipeline")} if "pipeline" in more else {}
    conversation = more.pop("conversation", person.conversation)
    user = person.ref
    with tenant_scope(person.tenant.id):
        conversation_id = find_conversation_id(user=user, external_id=conversation)
        more.setdefault("zone", person.tenant.zone)
        query = ContextQuery(user=user, text=text, conversation_id=conversation_id, **more)
        return build_context_pack(query, now=now or timezone.now(), **pipeline)
