"""Other wordings of a question from the language model, where the tenant wants that (SPEC S-2)."""

from __future__ import annotations

import time
from dataclasses import replace
from uuid import UUID

from memory.extraction.configuration import EndpointMisconfigured, find_client
from memory.extraction.model.openai_client import ModelClient, ModelFailed
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from retrieval.configuration import Pipeline
from retrieval.index.model_answers import ask_queries
from retrieval.search.stages import PreparedQuestion, prepare_question
from retrieval.search.time_limits import TooLate, run_until

LATE = "rewriting_late"
FAILED = "rewriting_failed"


def find_rewriter(*, tenant_id: UUID, deadline_ms: int) -> ModelClient | None:
    """The model that rewrites this tenant's questions: None without an endpoint, which costs nothing, or where the
    tenant has it off. One read."""
    try:
        client = find_client(most_seconds=deadline_ms / 1000)
    except EndpointMisconfigured:
        return None
    if client is None:
        return None
    with tenant_scope(tenant_id):
        tenant = find_tenant(tenant_id=tenant_id)
    if tenant is None or not read_settings(tenant).is_query_rewriting_on:
        return None
    return client


def add_wordings(prepared: PreparedQuestion, *, client: ModelClient, pipeline: Pipeline) -> PreparedQuestion:
    """The question with other wordings, each read and embedded. Late or failing: the question alone, and it says so.

    Touches no database. All of it has one hard deadline.
    """
    started = time.perf_counter()

    def ask() -> tuple[PreparedQuestion, ...]:
        queries = ask_queries(prepared.question.text, client=client)
        return tuple(prepare_question(text=query, provider=pipeline.provider) for query in queries)

    wordings: tuple[PreparedQuestion, ...] = ()
    reason = ""
    try:
        wordings = run_until(ask, deadline_ms=pipeline.rewrite_deadline_ms)
    except TooLate:
        reason = LATE
    except ModelFailed as failure:
        reason = LATE if failure.code == "model_timeout" else FAILED
    return replace(
        prepared,
        wordings=wordings,
        is_rewritten=not reason,
        degraded_reasons=(*prepared.degraded_reasons, *([reason] if reason else [])),
        rewrite_ms=round((time.perf_counter() - started) * 1000, 3),
    )
