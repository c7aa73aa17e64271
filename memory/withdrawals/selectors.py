"""Facts by the rule that made them, across the users of a tenant: counts and ids of users. In a tenant scope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count

from memory.database.statements import fetch_rows
from memory.models import FactJob, FactRow

OPEN = ("queued", "running")

# Index: facts_of_a_rule.
_USERS = """
SELECT DISTINCT user_id FROM user_knowledge
 WHERE tenant_id = %(tenant)s AND rule = %(rule)s AND user_id > %(after)s
   AND (%(versions)s::integer[] IS NULL OR rule_version = ANY(%(versions)s::integer[]))
   AND (%(is_active)s::boolean IS NULL OR is_active = %(is_active)s::boolean)
 ORDER BY user_id LIMIT %(limit)s
"""
# Index: users_of_a_tenant.
_ALL_USERS = """
SELECT id FROM memory_user WHERE tenant_id = %(tenant)s AND id > %(after)s ORDER BY id LIMIT %(limit)s
"""
_NOBODY = UUID(int=0)


def count_resting_facts(*, tenant_id: UUID, rule: str, versions: Sequence[int] | None) -> tuple[int, int]:
    """Active facts that versions of a rule made (None: whatever version), and of how many users."""
    rows = FactRow.objects.filter(tenant_id=tenant_id, rule=rule, is_active=True)
    if versions is not None:
        rows = rows.filter(rule_version__in=versions)
    found = rows.aggregate(facts=Count("id"), users=Count("user_id", distinct=True))
    return found["facts"], found["users"]


def list_rule_versions(*, tenant_id: UUID, rule: str) -> list[int]:
    """The versions of a rule that active facts name."""
    rows = FactRow.objects.filter(tenant_id=tenant_id, rule=rule, is_active=True, rule_version__isnull=False)
    return sorted({version for version in rows.values_list("rule_version", flat=True).distinct() if version})


def list_users_of(job: FactJob, *, after: UUID | None) -> list[UUID]:
    """The users whom a work concerns, in the order of their ids, after one of them."""
    return [row[0] for row in _ask("{}", job, after=after, limit=settings.UNDE_TUNING.FACT_JOB_PAGE)]


def count_users_of(job: FactJob) -> int:
    """How many users a work concerns."""
    return int(_ask("SELECT count(*) FROM ({}) u", job, after=None, limit=None)[0][0])


def _ask(form: str, job: FactJob, *, after: UUID | None, limit: int | None) -> list[tuple[Any, ...]]:
    is_closing = job.kind in ("close", "reopen")
    values: dict[str, Any] = {
        "tenant": job.tenant_id,
        "rule": job.rule,
        "after": after or _NOBODY,
        "limit": limit,
        "versions": list(job.rule_versions) if is_closing else None,
        "is_active": {"close": True, "reopen": False}.get(job.kind),
    }
    return fetch_rows(form.format(_ALL_USERS if job.has_all_users else _USERS), values)


def find_job(*, tenant_id: UUID, job_id: UUID) -> FactJob | None:
    """A work of the tenant, if there is one of that id."""
    return FactJob.objects.filter(tenant_id=tenant_id, id=job_id).first()


def list_jobs(*, tenant_id: UUID, rule: str) -> list[FactJob]:
    """The last works on the facts of a rule, newest first."""
    return list(FactJob.objects.filter(tenant_id=tenant_id, rule=rule).order_by("-id")[:5])
