"""Staff see the service levels and undo what the governor did; those without the right do neither (SPEC Q-2, H-1)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.models import GovernorAction
from corrections.quality.governor import govern
from corrections.quality.measuring import Figure, note_levels
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef

pytestmark = pytest.mark.django_db
LogIn = Callable[[Role], Client]


def note(tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        note_levels(tenant_id=tenant.id, figures={"staleness_rate": Figure(0.3, 50)}, now=timezone.now())


def test_the_page_shows_levels_in_words_with_their_trend(operator: Client, tenant: TenantRef) -> None:
    empty = operator.get(reverse("console:quality")).content.decode()
    assert "Nothing was measured yet" in empty
    note(tenant)
    page = operator.get(reverse("console:quality"), {"days": "90"}).content.decode()
    assert "Stale facts" in page
    assert "30.0 %" in page
    assert "staleness-rate-title" in page


def test_an_operator_undoes_what_the_governor_did_and_an_auditor_only_looks(log_in: LogIn, tenant: TenantRef) -> None:
    govern(tenant_id=tenant.id, figures={"conflict_rate": (0.2, 40)}, now=timezone.now())
    with tenant_scope(tenant.id):
        action = GovernorAction.objects.get(tenant_id=tenant.id)
    url = reverse("console:end_governor_action", args=[action.id, "undo"])
    auditor = log_in(Role.AUDITOR)
    assert "Facts that keep changing were put in doubt" in auditor.get(reverse("console:quality")).content.decode()
    assert auditor.post(url).status_code == 403
    assert log_in(Role.PATTERN_EDITOR).get(reverse("console:quality")).status_code == 403
    operator = log_in(Role.OPERATOR)
    assert operator.get(url).status_code == 405
    assert operator.post(url).status_code == 302
    assert operator.post(url).status_code == 404
    with tenant_scope(tenant.id):
        assert GovernorAction.objects.get(tenant_id=tenant.id).ended_by.startswith("staff:")


def test_limits_are_sentences_that_can_hold_and_no_figure_is_no_warning(operator: Client) -> None:
    rows = {row.indicator.level.name: row for row in operator.get(reverse("console:quality")).context["rows"]}
    late, five, stale = (rows[name] for name in ("deletion_timeout_rate", "receipt_five_tuple", "staleness_rate"))
    assert (late.passes, late.fails) == ("0 %", "more than 0 %")
    assert (five.passes, five.fails) == ("100 %", "less than 95 %")
    assert (stale.passes, stale.fails, stale.window) == ("less than 15 %", "more than 25 %", "7 days")
    assert (rows["retrieval_latency_p95"].window, rows["context_overflow_rate"].window) == ("1 hour", "1 day")
    assert {row.tone for row in rows.values()} == {"info"}


def test_a_verb_that_is_none_ends_nothing(operator: Client, tenant: TenantRef) -> None:
    govern(tenant_id=tenant.id, figures={"staleness_rate": (0.3, 40)}, now=timezone.now())
    with tenant_scope(tenant.id):
        action = GovernorAction.objects.get(tenant_id=tenant.id)
    assert operator.post(reverse("console:end_governor_action", args=[action.id, "drop"])).status_code == 404
    with tenant_scope(tenant.id):
        assert GovernorAction.objects.get(tenant_id=tenant.id).ended_at is None


@pytest.mark.parametrize("verb", ["keep", "undo"])
def test_both_verbs_end_an_action(operator: Client, tenant: TenantRef, verb: str) -> None:
    govern(tenant_id=tenant.id, figures={"staleness_rate": (0.3, 40)}, now=timezone.now())
    with tenant_scope(tenant.id):
        action = GovernorAction.objects.get(tenant_id=tenant.id)
    operator.post(reverse("console:end_governor_action", args=[action.id, verb]))
    assert "Nothing is in doubt, paused or held back" in operator.get(reverse("console:quality")).content.decode()


def test_a_drill_of_a_fail_over_is_a_figure_that_the_next_hour_carries_on(operator: Client, tenant: TenantRef) -> None:
    from corrections.quality.measuring import measure_tenant

    call_command("note_failover", seconds=36, lost_seconds=0)
    with tenant_scope(tenant.id):
        assert measure_tenant(tenant_id=tenant.id, now=timezone.now())["failover"] == Figure(1.2, 1)
    assert "120.0 %" in operator.get(reverse("console:quality")).content.decode()


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_an_odd_number_of_seconds_is_refused(db: Any, seconds: float) -> None:
    with pytest.raises(CommandError):
        call_command("note_failover", seconds=seconds, lost_seconds=0.0)


def test_limits_and_the_switch_of_the_governor_are_settings(operator: Client, tenant: TenantRef) -> None:
    page = operator.get(reverse("console:settings")).content.decode()
    assert 'name="quality_limits"' in page
    assert 'name="is_governor_on"' in page
    form = {"reviewers_per_item": "1", "legal_profile": "default", "quality_limits": "staleness_rate = 0.01, 0.02"}
    assert operator.post(reverse("console:settings"), form).status_code == 302
    with tenant_scope(tenant.id):
        [row] = note_levels(tenant_id=tenant.id, figures={"staleness_rate": Figure(0.03, 50)}, now=timezone.now())
    assert (row.state, row.fail_limit) == ("FAIL", 0.02)
    assert govern(tenant_id=tenant.id, figures={"conflict_rate": (0.9, 50)}, now=timezone.now()) == []
