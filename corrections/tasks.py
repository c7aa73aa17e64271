"""Background work of the room. Arguments are ids; what there is to do is rows in PostgreSQL."""

from __future__ import annotations

from uuid import UUID

import structlog
from celery import shared_task
from django.utils import timezone

from corrections.backtests import running
from corrections.promotion.proposing import propose
from corrections.quality.tasks import calibrate_memory, measure_offline, measure_quality
from corrections.services.publications import note_ended_plan
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import list_tenants
from patterns.services import publications
from retrieval.knowledge.models import Corpus

__all__ = [
    "calibrate_memory",
    "measure_offline",
    "measure_quality",
    "propose_knowledge",
    "publish_due",
    "run_backtest",
    "send_backtest",
]
"""A worker looks for tasks here: those of wings are named, so that they are found."""

log = structlog.get_logger(__name__)


@shared_task(ignore_result=True)
def run_backtest(tenant_id: str, backtest_id: str) -> str:
    """Read a tenant's messages with a change of rules (SPEC I-2). Sent twice, it goes on once."""
    state = running.run_backtest(tenant_id=UUID(tenant_id), backtest_id=UUID(backtest_id), clock=timezone.now)
    log.info("backtest_ended", backtest_id=backtest_id, state=state)
    return state


@shared_task
def publish_due() -> int:
    """Publish the rules, words and phrases whose time has come (SPEC I-2). Each ends in its tenant's audit trail."""
    ended = publications.publish_due(now=timezone.now())
    for plan in ended:
        note_ended_plan(plan, now=timezone.now())
    log.info("publications_ended", count=len(ended))
    return len(ended)


@shared_task(ignore_result=True)
def propose_knowledge() -> int:
    """Every night: proposals for the knowledge of each tenant that has a corpus (SPEC N-8). Returns how many wait."""
    waiting = 0
    for tenant in list_tenants():
        with tenant_scope(tenant.id):
            has_corpus = Corpus.objects.filter(tenant_id=tenant.id).exists()
        if has_corpus:
            waiting += propose(tenant_id=tenant.id, now=timezone.now())
    return waiting


def send_backtest(*, tenant_id: UUID, backtest_id: UUID) -> bool:
    """Wake a worker for a backtest; False when no broker answers: it waits in its row until asked again."""
    try:
        run_backtest.delay(str(tenant_id), str(backtest_id))
    except Exception as error:
        log.warning("backtest_not_sent", backtest_id=str(backtest_id), error=type(error).__name__)
        return False
    return True
