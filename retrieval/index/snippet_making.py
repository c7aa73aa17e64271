"""Making snippets of what was just handed out, in the background (SPEC E-3). The receipts are the work list."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction

from memory.database.statements import execute, fetch_rows
from memory.errors import CodedError
from memory.extraction.model.openai_client import ModelClient, ModelFailed
from memory.fence.user_lock import lock_user
from memory.selectors.messages import list_messages_by_id
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.types import UserRef
from retrieval.index.model_answers import SNIPPETS_VERSION, ask_labels
from retrieval.index.snippets import RULE, is_wanted, make_snippet
from retrieval.metrics import SNIPPETS

logger = logging.getLogger(__name__)


def make_due_snippets(*, client: ModelClient | None, now: datetime) -> int:
    """Make the snippets of messages that searches and packs of the last minutes handed out. Returns how many.

    No transaction is open while the model is asked; without a model, or when it fails, rules make them. Writes and
    commits user by user.
    """
    by_user: dict[tuple[UUID, UUID], list[UUID]] = defaultdict(list)
    for tenant_id, user_id, message_id in list_waiting(
        since=now - settings.UNDE_TUNING.SNIPPET_LOOK_BACK, limit=settings.UNDE_TUNING.SNIPPETS_AT_ONCE
    ):
        by_user[(tenant_id, user_id)].append(message_id)
    made = 0
    for (tenant_id, user_id), message_ids in by_user.items():
        try:
            user = UserRef(id=user_id, tenant_id=tenant_id)
            made += make_snippets(user=user, message_ids=message_ids, client=client, now=now)
        except CodedError as error:
            logger.warning("snippets of a user were not made: %s", error.code)
    return made


def make_snippets(*, user: UserRef, message_ids: Sequence[UUID], client: ModelClient | None, now: datetime) -> int:
    """Snippets of some messages of one user, as far as they are to have one. Writes and commits."""
    with tenant_scope(user.tenant_id):
        found = list_messages_by_id(user=user, message_ids=message_ids)
        tenant = find_tenant(tenant_id=user.tenant_id)
        may_ask = tenant is not None and read_settings(tenant).is_extraction_on
    contents = {
        message.id: message.content
        for message in found.values()
        if is_wanted(
            role=message.role,
            content=message.content,
            memory_type=message.memory_type,
            description=message.response_description,
        )
    }
    labels = list_labels(contents, client=client if may_ask else None)
    rules = {message_id: make_snippet(text) for message_id, text in contents.items() if message_id not in labels}
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        stored = store_snippets(user=user, snippets=labels, model=SNIPPETS_VERSION, now=now)
        stored += store_snippets(user=user, snippets=rules, model=RULE, now=now)
    return stored


def list_labels(contents: Mapping[UUID, str], *, client: ModelClient | None) -> dict[UUID, str]:
    """What the model calls the messages; nothing where there is no model or it fails."""
    labels: dict[UUID, str] = {}
    ids = list(contents)
    for start in range(0, len(ids) if client else 0, settings.UNDE_TUNING.SNIPPET_LABELS_A_QUESTION):
        portion = {each: contents[each] for each in ids[start : start + settings.UNDE_TUNING.SNIPPET_LABELS_A_QUESTION]}
        try:
            labels |= ask_labels(portion, client=client)  # type: ignore[arg-type]
        except ModelFailed as failure:
            logger.warning("labels are made by rule: %s", failure.code)
            break
    return labels


def store_snippets(*, user: UserRef, snippets: Mapping[UUID, str], model: str, now: datetime) -> int:
    """Write the snippets of messages that are still in the index; one that has one keeps it. Returns how many."""
    if not snippets:
        return 0
    stored = execute(
        "INSERT INTO message_snippet (tenant_id, user_id, message_id, snippet, model, created_at)"
        " SELECT i.tenant_id, i.user_id, i.message_id, s.snippet, %s, %s::timestamptz"
        " FROM unnest(%s::uuid[], %s::text[]) AS s (message_id, snippet)"
        " JOIN message_index i ON i.user_id = %s AND i.message_id = s.message_id"
        " WHERE s.snippet <> '' ON CONFLICT DO NOTHING",
        [model, now, list(snippets), list(snippets.values()), user.id],
    )
    SNIPPETS.labels(model).inc(stored)
    return stored


def list_waiting(*, since: datetime, limit: int) -> list[tuple[UUID, UUID, UUID]]:
    """Tenant, user and message of what was handed out since a moment without a snippet. For workers (D-14)."""
    with transaction.atomic():
        rows = fetch_rows(
            "SELECT tenant_id, user_id, message_id FROM messages_without_snippet_v1(%s::timestamptz, %s::integer)",
            [since, limit],
        )
        return [(tenant_id, user_id, message_id) for tenant_id, user_id, message_id in rows]
