"""The log of runs: opened by a claim, filled in by the run, closed once (SPEC X-1); repeats and tokens by it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import fetch_row
from memory.extraction.types import Claim, Completion, RunOutcome
from memory.models import ExtractionRun
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.version import ENGINE_VERSION

PURPOSE: Final = "extraction_answer"
OUTSIDE_CAUSES: Final = frozenset(
    {
        "model_unreachable",
        "model_circuit_open",
        "user_busy",
        "database_unavailable",
        "timeout",
        "try_again",
        "rules_not_in_force",
    }
    | {f"model_http_{status}" for status in (401, 403, 404, 408, 409, 425, 429, 500, 502, 503, 504)}
)
"""Failures that say nothing about the messages: they are tried again for as long as it takes."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer that was paid for. `facts`: the facts that the model was shown, by short name."""

    completion: Completion
    facts: Mapping[str, UUID]


def fingerprint_messages(message_ids: Sequence[UUID]) -> bytes:
    """Equal for the same messages in any order: the idempotency key of a run."""
    return hashlib.sha256(b"".join(sorted(message_id.bytes for message_id in message_ids))).digest()


def get_run(claim: Claim) -> ExtractionRun | None:
    """The run's row, when it is still there and open. In a tenant scope."""
    return ExtractionRun.objects.filter(user_id=claim.user.id, id=claim.run_id, status="open").first()


def hold_run(claim: Claim) -> bool:
    """Lock the run's row until the transaction ends; whether it is still this worker's (its lease may be over)."""
    row = fetch_row(
        "SELECT status FROM extraction_run WHERE user_id = %s AND id = %s FOR UPDATE", [claim.user.id, claim.run_id]
    )
    return row is not None and row[0] == "open"


def note_reading(claim: Claim, *, message_ids: Sequence[UUID], model: str, prompt_version: str) -> bytes:
    """Write into the run what it reads; the fingerprint of it. In a tenant scope."""
    fingerprint = fingerprint_messages(message_ids)
    _update(claim, message_ids=list(message_ids), fingerprint=fingerprint, model=model, prompt_version=prompt_version)
    return fingerprint


def was_read_just_now(claim: Claim, *, fingerprint: bytes, now: datetime) -> bool:
    """Whether another run has read or is reading exactly these messages within five minutes (SPEC X-1)."""
    since = now - settings.UNDE_TUNING.EXTRACTION_REPEAT_GAP
    return (
        ExtractionRun.objects.filter(
            user_id=claim.user.id, claimed_at__gt=since, fingerprint=fingerprint, status__in=("open", "done")
        )
        .exclude(id=claim.run_id)
        .exists()
    )


def find_stored_answer(claim: Claim, *, fingerprint: bytes, prompt_version: str, now: datetime) -> StoredAnswer | None:
    """An answer to exactly these messages that a killed or hindered run left behind: nothing is paid twice."""
    rows = ExtractionRun.objects.filter(
        user_id=claim.user.id,
        claimed_at__gt=now - settings.UNDE_TUNING.EXTRACTION_ANSWER_KEPT,
        fingerprint=fingerprint,
        prompt_version=prompt_version,
        status__in=("lost", "failed"),
        sealed__isnull=False,
    ).exclude(code__startswith="answer_")
    row = rows.order_by("-claimed_at").first()
    if row is None:
        return None
    content = UserVault(user_id=claim.user.id).open(bytes(row.sealed or b""), purpose=PURPOSE)
    # Its tokens are in that run's row.
    completion = Completion(text=content["answer"], model=row.model)
    return StoredAnswer(completion, {ref: UUID(fact_id) for ref, fact_id in content["facts"].items()})


def store_answer(
    claim: Claim, *, completion: Completion, facts: Mapping[str, UUID], cost_usd: float, duration_ms: int
) -> None:
    """Keep what the model said, sealed, before anything is made of it: `rebuild` and a killed worker need it (M-4).

    Writes and commits.
    """
    content: dict[str, Any] = {"answer": completion.text, "facts": {ref: str(fid) for ref, fid in facts.items()}}
    with tenant_scope(claim.user.tenant_id):
        _update(
            claim,
            sealed=UserVault(user_id=claim.user.id).seal(content, purpose=PURPOSE),
            model=completion.model,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            cost_usd=Decimal(str(round(cost_usd, 6))),
            duration_ms=duration_ms,
        )


def note_judging(claim: Claim, *, log_position: int, rule_set_version: int) -> None:
    """Write into the run what its answer is judged by: a rebuild judges it again (M-4). In a tenant scope."""
    _update(claim, log_position=log_position, rule_set_version=rule_set_version, engine_version=ENGINE_VERSION)


def close_run(claim: Claim, outcome: RunOutcome, *, now: datetime, next_at: datetime, failures: int = 0) -> None:
    """Write how the run ended and when the user may be read again. In a tenant scope; an open run only."""
    _update(
        claim,
        status=outcome.status,
        code=outcome.code,
        proposed=sum(outcome.results.values()),
        applied=outcome.applied,
        staged=outcome.staged,
        results=dict(outcome.results),
        failures=failures,
        finished_at=now,
        next_at=next_at,
    )


def fail_run(claim: Claim, *, code: str, now: datetime) -> RunOutcome:
    """Close a run that came to nothing; later ones of the same user wait longer. Writes and commits."""
    backoff = settings.UNDE_TUNING.EXTRACTION_BACKOFF
    outcome = RunOutcome("failed", code)
    with tenant_scope(claim.user.tenant_id):
        run = get_run(claim)
        if run is None:
            return RunOutcome("lost", "not_ours")
        failures = run.failures + (0 if code in OUTSIDE_CAUSES else 1)
        wait: timedelta = backoff[min(max(failures - 1, 0), len(backoff) - 1)]
        close_run(claim, outcome, now=now, next_at=now + wait, failures=failures)
    return outcome


def _update(claim: Claim, **values: Any) -> None:
    ExtractionRun.objects.filter(user_id=claim.user.id, id=claim.run_id, status="open").update(**values)
