"""Facts that rest on what was taken back: counted on the rule's page, closed, opened again, messages read anew."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.facts.reading import list_active_facts
from memory.models import FactJob
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from memory.withdrawals.running import claim_job, run_job
from patterns.models import RejectionCount, Rule
from patterns.registry import refresh_rule_sets
from tests.api.console.conftest import make_staff
from tests.api.console.rules.conftest import SLUG, backtest, find_draft, make_fields, publish
from tests.cast import Chatter, find_by_bucket

pytestmark = pytest.mark.django_db


@pytest.fixture
def rule(editor: Client, tenant: TenantRef, alice: Chatter, bob: Chatter) -> Rule:
    """A rule in force that has taught something about Alice and Bob."""
    put_in_force(editor, tenant, pattern="i (?:really )?balloon up from")
    alice.say("i balloon up from nickel")
    alice.say("i really balloon up from wool")
    bob.say("i balloon up from latex")
    return Rule.objects.get(slug=SLUG)


def put_in_force(editor: Client, tenant: TenantRef, **changes: Any) -> None:
    editor.post(reverse("console:new_rule"), make_fields(**changes))
    if not Rule.objects.filter(slug=SLUG, state="draft").exists():
        rule = Rule.objects.get(slug=SLUG)
        editor.post(reverse("console:edit_rule", args=[rule.id]), make_fields(**changes))
    publish(editor, find_draft(), tenant)
    refresh_rule_sets()


def quarantine(editor: Client, rule: Rule) -> None:
    editor.post(reverse("console:quarantine", args=["rule", rule.id]), {"reason": "reads too much"})
    refresh_rule_sets()


def count_shown(editor: Client, rule: Rule) -> int:
    page = editor.get(reverse("console:edit_rule", args=[rule.id])).content.decode()
    found = re.search(r"data-resting>(\d+)<", page)
    return int(found[1]) if found else 0


def work(tenant: TenantRef) -> FactJob:
    """Do the worker's part of the newest work."""
    with tenant_scope(tenant.id):
        job = FactJob.objects.latest("created_at")
    claim_job(tenant_id=tenant.id, job_id=job.id, now=timezone.now())
    run_job(tenant_id=tenant.id, job_id=job.id, clock=timezone.now)
    with tenant_scope(tenant.id):
        job.refresh_from_db()
    return job


def press(browser: Client, name: str, row_id: Any, **fields: str) -> str:
    return browser.post(reverse(f"console:{name}", args=[row_id]), fields, follow=True).content.decode()


def list_known(person: Chatter) -> set[str]:
    with tenant_scope(person.tenant.id):
        return {fact.knowledge_key for fact in list_active_facts(user=person.ref)}


def test_while_a_rule_is_in_force_nothing_rests_on_what_was_taken_back(editor: Client, rule: Rule) -> None:
    page = editor.get(reverse("console:edit_rule", args=[rule.id])).content.decode()
    assert "Facts from withdrawn versions" not in page


def test_a_quarantined_rule_says_how_many_facts_rest_on_it_and_one_button_closes_them(
    editor: Client, rule: Rule, tenant: TenantRef, alice: Chatter
) -> None:
    quarantine(editor, rule)
    assert count_shown(editor, rule) == 3
    assert "Closing facts" in press(editor, "close_rule_facts", rule.id)
    job = work(tenant)
    assert (job.state, job.counts, count_shown(editor, rule)) == ("done", {"closed": 3}, 0)
    assert "Reopen these facts" in editor.get(reverse("console:rule_work", args=[job.id])).content.decode()
    press(editor, "undo_closing", job.id)
    assert (work(tenant).counts, count_shown(editor, rule)) == ({"reopened": 3}, 3)
    assert list_known(alice) == {"nickel", "wool"}
    with tenant_scope(tenant.id):
        actions = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"rule.close_facts", "rule.reopen_facts"} <= actions


def test_messages_are_read_anew_after_a_preview_has_shown_what_that_does(
    editor: Client, rule: Rule, tenant: TenantRef, alice: Chatter
) -> None:
    quarantine(editor, rule)
    put_in_force(editor, tenant, pattern="i balloon up from")
    press(editor, "preview_reading", rule.id, users="some")
    shown = work(tenant)
    page = editor.get(reverse("console:rule_work", args=[shown.id])).content.decode()
    assert "<b>1</b> facts removed" in page
    assert list_known(alice) == {"nickel", "wool"}
    press(editor, "read_anew", shown.id)
    assert (work(tenant).counts["lost"], list_known(alice)) == (1, {"nickel"})


def test_a_preview_from_before_the_rule_changed_is_run_again_first(
    editor: Client, rule: Rule, tenant: TenantRef
) -> None:
    press(editor, "preview_reading", rule.id)
    shown = work(tenant)
    put_in_force(editor, tenant, pattern="i balloon up from")
    assert "Run a new preview" in editor.get(reverse("console:rule_work", args=[shown.id])).content.decode()
    assert "Finish the preview first" in press(editor, "read_anew", shown.id)


def test_a_work_is_stopped_and_continued(editor: Client, rule: Rule, tenant: TenantRef) -> None:
    quarantine(editor, rule)
    press(editor, "close_rule_facts", rule.id)
    with tenant_scope(tenant.id):
        job = FactJob.objects.get()
    assert ">Continue<" in press(editor, "stop_work", job.id)
    assert ">Stop<" in press(editor, "continue_work", job.id)
    assert "is running" in press(editor, "close_rule_facts", rule.id)
    assert work(tenant).counts == {"closed": 3}


def test_work_on_facts_is_for_rule_editors(log_in: Callable[[Role], Client], rule: Rule) -> None:
    for role in (Role.REVIEWER, Role.OPERATOR, Role.AUDITOR):
        browser = log_in(role)
        for name in ("close_rule_facts", "preview_reading"):
            assert browser.post(reverse(f"console:{name}", args=[rule.id])).status_code == 403, (role, name)


def test_another_tenants_work_is_not_found(
    editor: Client, rule: Rule, tenant: TenantRef, other_tenant: TenantRef
) -> None:
    press(editor, "preview_reading", rule.id)
    job = work(tenant)
    stranger = Client()
    stranger.force_login(make_staff("stranger", tenant=other_tenant, role=Role.PATTERN_EDITOR))
    assert stranger.get(reverse("console:rule_work", args=[job.id])).status_code == 404
    for name in ("stop_work", "continue_work", "undo_closing", "read_anew"):
        assert stranger.post(reverse(f"console:{name}", args=[job.id])).status_code == 404


class TestFigures:
    def test_a_rules_page_has_the_figures_of_each_version(
        self, editor: Client, rule: Rule, tenant: TenantRef, alice: Chatter
    ) -> None:
        RejectionCount.objects.create(
            tenant_id=tenant.id, rule=SLUG, rule_version=1, reason="question", day=timezone.now().date(), count=1
        )
        alice.hear("You're allergic to wool, so I left wool out.")
        alice.say("no, i'm not allergic to wool")
        (figures,) = editor.get(reverse("console:edit_rule", args=[rule.id])).context["figures"]
        assert (figures.version, figures.facts, figures.active, figures.refused) == (1, 3, 2, 1)
        assert (figures.taken_back, figures.taken_back_share.whole, figures.wrong_share) == (1, 3, None)
        assert figures.refused_share.lower < 25 < figures.refused_share.upper

    def test_a_trial_stands_beside_what_is_in_force_over_the_same_time(
        self, editor: Client, rule: Rule, tenant: TenantRef
    ) -> None:
        editor.post(
            reverse("console:edit_rule", args=[rule.id]), make_fields(pattern="i balloon up from|i puff up from")
        )
        version = find_draft()
        backtest(editor, version, tenant)
        one, other = find_by_bucket(tenant, slug=SLUG, percent=50)
        editor.post(reverse("console:try_version", args=["rule", version.id]), {"percent": "50"})
        refresh_rule_sets()
        one.say("i puff up from mohair")
        one.say("hello")
        other.say("i puff up from mohair")
        trial = editor.get(reverse("console:edit_rule", args=[rule.id])).context["trial"]
        tried, before = trial.arms
        assert (tried.messages, tried.figures.facts, tried.per_hundred.percent) == (2, 1, 50)
        assert (before.messages, before.figures.facts) == (1, 0)

    def test_the_list_shows_facts_and_errors_of_this_tenant_alone(
        self, editor: Client, rule: Rule, other_tenant: TenantRef
    ) -> None:
        page = editor.get(reverse("admin:patterns_rule_changelist"), {"q": SLUG}).content.decode()
        assert "Facts, 30 days" in page
        assert re.search(r"field-shown_hits[^>]*>\s*3\s*<", page)
        stranger = Client()
        stranger.force_login(make_staff("stranger", tenant=other_tenant, role=Role.PATTERN_EDITOR))
        page = stranger.get(reverse("admin:patterns_rule_changelist"), {"q": "allergy-en-word"}).content.decode()
        assert re.search(r"field-shown_hits[^>]*>\s*0\s*<", page)

    def test_changes_are_a_feed_of_who_what_when_and_why(self, editor: Client, rule: Rule, tenant: TenantRef) -> None:
        page = editor.get(reverse("console:rule_changes")).content.decode()
        assert "heard in chats" in page
        assert f"pattern_editor-{tenant.id.hex[-8:]}" in page
        assert "<ins>i (?:really )?balloon up from</ins>" in page
        for wrong in ("x", "2026-13-45T99:00", "2026-01-01"):
            assert editor.get(reverse("console:rule_changes"), {"before": wrong}).status_code == 200
