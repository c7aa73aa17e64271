"""`GET /v1/quality`: levels and what was done about them, now and at a moment (API.md)."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.models import RuleWarning
from corrections.quality.exporting import read_quality
from corrections.quality.governor import govern
from corrections.quality.levels import LEVELS
from corrections.quality.measuring import Figure, note_levels
from corrections.review.watch import watch_rules
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from patterns.models import Rule
from tests.api.conftest import Caller
from tests.api.console.conftest import log_in
from tests.cast import Chatter
from tests.db.corrections.quality.test_offline import miss
from tests.db.corrections.test_review_watch import judge_many, rule

__all__ = ["log_in", "rule"]

pytestmark = pytest.mark.django_db


def test_levels_have_their_figures_limits_and_states(api: Caller, tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        note_levels(tenant_id=tenant.id, figures={"staleness_rate": Figure(0.3, 50)}, now=timezone.now())
    govern(tenant_id=tenant.id, figures={"staleness_rate": (0.3, 50)}, now=timezone.now())
    answer = api.get("/v1/quality").json()
    assert [one["name"] for one in answer["indicators"][: len(LEVELS)]] == list(LEVELS)
    assert answer["indicators"][0] == {
        "name": "staleness_rate", "value": 0.3, "n": 50, "window": "7d", "state": "FAIL", "pass": 0.15, "fail": 0.25,
    }  # fmt: skip
    assert [(one["action"], one["reason"]) for one in answer["governor"]] == [("clean_up", "staleness_rate")]
    before = api.get("/v1/quality", at=(timezone.now() - timedelta(days=1)).isoformat()).json()
    assert (before["indicators"][0]["value"], before["governor"]) == (None, [])


def test_precision_has_its_interval_and_a_rule_that_is_warned_of_its_day(
    api: Caller, alice: Chatter, rule: Rule, log_in: Callable[..., Client]
) -> None:
    judge_many(alice, rule, right=20, wrong=12)
    watch_rules(tenant_id=alice.tenant.id, now=timezone.now())
    answer = api.get("/v1/quality").json()
    found = {(one["slice"], one["value"]): one for one in answer["precision"]}
    assert set(found) == {("rule", f"{rule.slug} v{rule.version}"), ("language", "en")}
    one = found["language", "en"]
    assert (one["judged"], one["right"], one["precision"]) == (32, 20, 0.625)
    assert (round(one["lower"], 3), round(one["upper"], 3)) == (0.453, 0.771)  # Wilson, 95 %
    (warned,) = answer["governor"]
    assert (warned["action"], warned["subject"]) == ("rule_warned", f"{rule.slug} v{rule.version}")
    assert datetime.fromisoformat(warned["due_at"]) - datetime.fromisoformat(warned["since"]) == timedelta(hours=24)
    gauges = {metric.name: metric for metric in read_quality()}
    lower = {sample.labels["slice"]: round(sample.value, 3) for sample in gauges["unde_review_precision_lower"].samples}
    assert lower == {"rule": 0.453, "language": 0.453}
    operator = log_in(Role.OPERATOR)
    page = operator.get(reverse("console:quality")).content.decode()
    assert "45.3 and 77.1 %" in page and "A rule will be held back" in page
    with tenant_scope(alice.tenant.id):
        warning = RuleWarning.objects.get()
    path = reverse("console:keep_warned_rule", args=[warning.id])
    assert log_in(Role.AUDITOR).post(path).status_code == 403
    operator.post(path)
    assert operator.post(path).status_code == 404
    assert api.get("/v1/quality").json()["governor"] == []


def test_the_offline_measures_are_told_by_language(api: Caller, alice: Chatter, log_in: Callable[..., Client]) -> None:
    miss(alice)
    call_command("retrieval_miss_rate", tenant=Tenant.objects.get(id=alice.tenant.id).slug)
    answer = api.get("/v1/quality").json()
    (row,) = (one for one in answer["indicators"] if one["name"] == "retrieval_miss_rate")
    assert (row["value"], row["n"], row["state"]) == (1.0, 1, "OBSERVE")
    (language,) = answer["languages"]
    assert (language["name"], language["language"], language["value"], language["n"]) == (row["name"], "en", 1.0, 1)
    assert 'data-language="en"' in log_in(Role.OPERATOR).get(reverse("console:quality")).content.decode()


@pytest.mark.parametrize("at", ["yesterday", "2026-01-01T00:00:00", ""])
def test_a_moment_that_is_none_is_refused(api: Caller, at: str) -> None:
    assert api.get("/v1/quality", at=at).status_code == 400
