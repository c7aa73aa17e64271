"""Celery tasks of the wing. They take no arguments: the work is rows (E-2)."""

from __future__ import annotations

from datetime import UTC, datetime

from celery import shared_task

from memory.database.statements import fetch_rows
from memory.tenants.scope import tenant_scope
from retrieval.knowledge.answers.receipts import KEPT as RECEIPTS_KEPT
from retrieval.knowledge.answers.turns import KEPT as TURNS_KEPT
from retrieval.knowledge.models import AnswerReceipt, AskTurn, Corpus
from retrieval.knowledge.search.graphs import BUILT_HERE, store_snapshot

BUILT_AT_ONCE = 20  # corpora of one run; the next beat goes on


@shared_task(ignore_result=True)
def build_graphs() -> int:
    """Snapshots of large corpora that have changed (D-48). Returns how many were built."""
    stale = fetch_rows("SELECT tenant_id, corpus_id FROM list_stale_graphs_v1(%s, %s)", [BUILT_HERE, BUILT_AT_ONCE])
    for tenant_id, corpus_id in stale:
        with tenant_scope(tenant_id):
            if corpus := Corpus.objects.filter(id=corpus_id).first():
                store_snapshot(corpus, now=datetime.now(UTC))
    return len(stale)


@shared_task(ignore_result=True)
def drop_old_questions() -> int:
    """Every night: questions to corpora and receipts of answers that are no longer kept (D-47). Returns how many."""
    now = datetime.now(UTC)
    before = [now - TURNS_KEPT, now - RECEIPTS_KEPT]
    tenants = [row[0] for row in fetch_rows("SELECT tenant_id FROM list_tenants_with_old_questions_v1(%s, %s)", before)]
    dropped = 0
    for tenant_id in tenants:
        with tenant_scope(tenant_id):
            dropped += AskTurn.objects.filter(tenant_id=tenant_id, asked_at__lt=before[0]).delete()[0]
            dropped += AnswerReceipt.objects.filter(tenant_id=tenant_id, created_at__lt=before[1]).delete()[0]
    return dropped
