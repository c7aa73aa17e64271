"""Plans as rows: a draft is written, tried and made active; the one before is kept and can come back (D-45, N-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Max

from memory.database.queries import Query
from memory.errors import Conflict, NotFound
from memory.ids import new_id
from memory.tenants.scope import run_in_scope
from retrieval.knowledge.graph.paths import EdgeKind, EdgeKinds, read_edge_kinds
from retrieval.knowledge.models import Corpus, Plan
from retrieval.knowledge.planning.intents import read_intents

DRAFT, ACTIVE, RETIRED = "draft", "active", "retired"
_KINDS: Final = """
SELECT e.kind, array_agg(DISTINCT s.type), array_agg(DISTINCT t.type)
FROM knowledge_edge e
JOIN knowledge_entity s ON s.corpus_id = e.corpus_id AND s.id = e.source_id
JOIN knowledge_entity t ON t.corpus_id = e.corpus_id AND t.id = e.target_id
WHERE e.corpus_id = %(corpus_id)s GROUP BY 1 ORDER BY 1
"""


class PlanNotFound(NotFound):
    """No such plan in this corpus."""

    code = "plan_not_found"
    default_message = "This plan does not exist."


class PlanNotDraft(Conflict):
    """Only a draft is edited; a plan that was active is kept as it was."""

    code = "plan_not_draft"
    default_message = "Only a draft can be changed."


def read_corpus_kinds(corpus: Corpus) -> EdgeKinds:
    """The edges of the schema, or of a schema without types those that the corpus has. Inside a tenant scope."""
    kinds = read_edge_kinds(corpus.schema)
    if kinds.is_open:
        for kind, sources, targets in run_in_scope([Query(_KINDS, {"corpus_id": corpus.id})])[0]:
            kinds[kind] = EdgeKind(kind, frozenset(sources), frozenset(targets))
    return kinds


def list_plans(corpus: Corpus) -> list[Plan]:
    """The plans of a corpus, newest first."""
    return list(Plan.objects.filter(corpus_id=corpus.id).order_by("-version"))


def find_plan(corpus: Corpus, plan_id: UUID) -> Plan:
    """A plan of a corpus. Raises PlanNotFound."""
    plan = Plan.objects.filter(corpus_id=corpus.id, id=plan_id).first()
    if plan is None:
        raise PlanNotFound
    return plan


def add_draft(
    corpus: Corpus, *, intents: Sequence[Mapping[str, Any]], note: str, staff_id: int | None, now: datetime
) -> Plan:
    """A new draft. Raises InvalidPlan naming the intent that is wrong. Writes; inside a tenant scope."""
    read_intents(intents, read_edge_kinds(corpus.schema))
    newest = Plan.objects.filter(corpus_id=corpus.id).aggregate(newest=Max("version"))["newest"] or 0
    plan = Plan(
        id=new_id(),
        tenant_id=corpus.tenant_id,
        corpus_id=corpus.id,
        version=newest + 1,
        state=DRAFT,
        intents=list(intents),
        note=note[:200],
        staff_id=staff_id,
        created_at=now,
    )
    Plan.objects.bulk_create([plan])
    return plan


def change_draft(corpus: Corpus, *, plan_id: UUID, intents: Sequence[Mapping[str, Any]], note: str) -> None:
    """Put other intents into a draft. Raises PlanNotFound, PlanNotDraft, InvalidPlan. Writes."""
    plan = find_plan(corpus, plan_id)
    if plan.state != DRAFT:
        raise PlanNotDraft
    read_intents(intents, read_edge_kinds(corpus.schema))
    Plan.objects.filter(corpus_id=corpus.id, id=plan_id, state=DRAFT).update(intents=list(intents), note=note[:200])


def activate_plan(corpus: Corpus, *, plan_id: UUID, now: datetime) -> None:
    """Make a draft the plan of the corpus, or bring one back that was; the active one is retired. Writes.

    Raises PlanNotFound, and InvalidPlan where the schema has changed so that it no longer fits.
    """
    plan = find_plan(corpus, plan_id)
    read_intents(plan.intents, read_edge_kinds(corpus.schema))
    Plan.objects.filter(corpus_id=corpus.id, state=ACTIVE).exclude(id=plan_id).update(state=RETIRED)
    Plan.objects.filter(corpus_id=corpus.id, id=plan_id).update(state=ACTIVE, activated_at=now)


def return_to_shipped(corpus: Corpus) -> None:
    """Retire the active plan: what the schema brings holds again. Writes."""
    Plan.objects.filter(corpus_id=corpus.id, state=ACTIVE).update(state=RETIRED)
