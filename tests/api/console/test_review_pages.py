"""Pages beside the queue: samples with their verdicts, candidates, golden cases of items, costs, settings, the badge."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.models import MessageCase, ReviewItem
from corrections.review.sampling import sample_recent
from memory.extraction.golden import load_cases
from memory.extraction.quality.switches import get_daily_tokens, get_state
from memory.extraction.unproven.candidates import list_open_candidates
from memory.extraction.unproven.items import list_held_items
from memory.models import FactRow
from memory.rebuild.running import compare_user
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import Role
from memory.types import TenantRef
from patterns.rules.accuracy import load_corpus
from tests.api.test_query_counts import list_statements
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import extract
from tests.scripted_model import ScriptedModel, propose

pytestmark = pytest.mark.django_db

LogIn = Callable[[Role], Client]
MakeModel = Callable[..., ScriptedModel]
TITANIUM = propose(knowledge_key="titanium", value="titanium")
MAX_STATEMENTS_AN_ITEM = 43
ZARA = propose(knowledge_type="brand_preference", knowledge_key="zara", value="zara", evidence_message_ids=["m2"])


@pytest.fixture
def reviewer(log_in: LogIn) -> Client:
    return log_in(Role.REVIEWER)


@pytest.fixture
def staged(alice: Chatter, scripted_model: MakeModel) -> Chatter:
    """Alice has an unknown allergen and a brand that wait."""
    alice.say("by the way I'm allergic to titanium")
    alice.say("I love Zara")
    assert extract(alice, scripted_model({"operations": [TITANIUM, ZARA]})).staged == 2
    return alice


def judge_first(client: Client, tenant: TenantRef, verdict: str = "correct") -> ReviewItem:
    """Draw what there is and judge the first item; that item."""
    now = timezone.now()
    sample_recent(tenant_id=tenant.id, source="instant", count=50, since=now - timedelta(days=1), now=now)
    card = client.get(reverse("console:review")).context["card"]
    client.post(
        reverse("console:review_verdict"),
        {"item": card.item.id, "verdict": verdict, "token": card.token, "milliseconds": 1200},
    )
    return card.item  # type: ignore[no-any-return]


def get_text(client: Client, name: str, *args: Any, **query: Any) -> str:
    answer = client.get(reverse(name, args=args), query)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


# --- candidates -------------------------------------------------------------------------------------------------------


def test_candidates_stand_with_their_words_and_their_last_day(reviewer: Client, staged: Chatter) -> None:
    page = get_text(reviewer, "console:candidates")
    assert "titanium" in page
    assert "not in the vocabulary" in page
    assert "I love <mark>Zara</mark>" in page
    days = {timezone.localtime(each.expires_at, staged.tenant.zone) for each in staged.read(list_open_candidates)}
    (expiry,) = {day.strftime("%-d %b %Y") for day in days}  # the page shows the tenant's days
    assert expiry in page
    with tenant_scope(staged.tenant.id):
        assert AuditEvent.objects.filter(action="candidate.view", object_ids__contains=[staged.ref.id]).exists()


def test_a_reviewer_makes_a_fact_of_a_candidate_and_a_rebuild_keeps_it(reviewer: Client, staged: Chatter) -> None:
    (titanium,) = [c for c in staged.read(list_open_candidates) if c.value == "titanium"]
    answer = reviewer.post(reverse("console:judge_candidate", args=[staged.ref.id, titanium.id, "accept"]), follow=True)
    assert "is now a fact" in answer.content.decode()
    assert staged.list_facts() == {("allergy", "titanium"): "titanium"}
    with tenant_scope(staged.tenant.id):
        fact = FactRow.objects.get(user_id=staged.ref.id)
    assert (fact.extracted_from, fact.evidence_message_ids) == ("review", list(titanium.evidence_message_ids))
    assert compare_user(tenant=staged.tenant, user=staged.ref).has_drift is False
    assert "titanium" in get_text(reviewer, "console:candidates", state="promoted")


def test_a_brand_waits_for_the_users_own_second_word(reviewer: Client, staged: Chatter) -> None:
    (zara,) = [c for c in staged.read(list_open_candidates) if c.value == "zara"]
    reviewer.post(reverse("console:judge_candidate", args=[staged.ref.id, zara.id, "accept"]))
    assert staged.list_facts() == {}
    reviewer.post(reverse("console:judge_candidate", args=[staged.ref.id, zara.id, "dismiss"]))
    assert [c.value for c in staged.read(list_open_candidates)] == ["titanium"]


@pytest.mark.parametrize(("role", "status"), [(Role.PATTERN_EDITOR, 403), (Role.AUDITOR, 403), (Role.OPERATOR, 200)])
def test_candidates_are_for_those_who_may_read_memory(log_in: LogIn, role: Role, status: int) -> None:
    assert log_in(role).get(reverse("console:candidates")).status_code == status


def test_another_tenants_candidate_is_not_there(
    reviewer: Client, staged: Chatter, other_tenant: TenantRef, scripted_model: MakeModel
) -> None:
    stranger = Chatter(other_tenant, "stranger")
    stranger.say("by the way I'm allergic to titanium")
    extract(stranger, scripted_model({"operations": [TITANIUM]}))
    (theirs,) = stranger.read(list_open_candidates)
    url = reverse("console:judge_candidate", args=[stranger.ref.id, theirs.id, "accept"])
    assert "is now a fact" not in reviewer.post(url, follow=True).content.decode()
    assert stranger.list_facts() == {}
    assert len(stranger.read(list_open_candidates)) == 1


# --- samples, verdicts, golden cases ----------------------------------------------------------------------------------


def test_samples_stand_with_their_verdicts_and_without_a_word_of_the_user(
    reviewer: Client, log_in: LogIn, alice: Chatter, tenant: TenantRef
) -> None:
    alice.say("I'm allergic to nickel")
    alice.say("My size is M")
    judge_first(reviewer, tenant)
    page = get_text(log_in(Role.AUDITOR), "console:review_items")
    assert "1.2 s" in page
    assert page.count('data-item="') == 2
    assert "nickel" not in page.replace("allergy-en", "")
    assert (
        page.count('data-item="') - get_text(reviewer, "console:review_items", state="decided").count("data-item=") == 1
    )


def test_verdicts_leave_as_lines_from_the_page_and_by_command(
    reviewer: Client, alice: Chatter, tenant: TenantRef, tmp_path: Path, capsys: Any
) -> None:
    alice.say("I'm allergic to nickel")
    item = judge_first(reviewer, tenant, "false_fact")
    (line,) = get_text(reviewer, "console:export_verdicts").splitlines()
    verdict = json.loads(line)
    assert (verdict["item_id"], verdict["verdict"], verdict["milliseconds"]) == (str(item.id), "false_fact", 1200)
    assert str(alice.ref.id) not in line
    with tenant_scope(tenant.id):
        slug = Tenant.objects.get(id=tenant.id).slug
    call_command("export_verdicts", "--tenant", slug, "--out", str(tmp_path / "verdicts.jsonl"))
    assert (tmp_path / "verdicts.jsonl").read_text() == f"{line}\n"
    assert "1 verdicts" in capsys.readouterr().out


def test_a_verdict_becomes_a_golden_case_in_the_form_of_the_test_data(
    reviewer: Client, alice: Chatter, tenant: TenantRef, tmp_path: Path, capsys: Any
) -> None:
    alice.say("I'm allergic to nickel, sadly, since I was a child")
    item = judge_first(reviewer, tenant)
    url = reverse("console:item_case", args=[item.user_id, item.id])
    page = reviewer.get(url).content.decode()
    assert "allergy/nickel = nickel" in page
    told = {
        "language": "en",
        "text": "I have a wool allergy",
        "facts": "allergy/wool = wool",
        "save": "1",
    }
    own = {**told, "text": "I'm allergic to nickel, sadly, since forever"}
    assert "still what was said" in reviewer.post(url, own).content.decode()
    assert reviewer.post(url, told).status_code == 302
    with tenant_scope(tenant.id):
        slug = Tenant.objects.get(id=tenant.id).slug
    call_command("export_golden", "--tenant", slug, "--kind", "instant", "--out", str(tmp_path / "cases.jsonl"))
    (case,) = load_corpus(tmp_path / "cases.jsonl")
    assert (case["text"], case["expect"]) == (told["text"], [{"type": "allergy", "key": "wool", "value": "wool"}])
    assert get_text(reviewer, "console:export_cases", "instant") == (tmp_path / "cases.jsonl").read_text(
        encoding="utf-8"
    )
    call_command("export_golden", "--tenant", slug, "--kind", "extraction", "--out", str(tmp_path / "cases.yaml"))
    (golden,) = load_cases(tmp_path / "cases.yaml")
    assert golden.expect == {"ADD allergy/wool=wool"}
    assert yaml.safe_load(get_text(reviewer, "console:export_cases", "extraction"))[0]["promise"]
    assert "1 cases" in capsys.readouterr().out
    assert "✓" in get_text(reviewer, "console:review_items")


def test_a_case_is_tried_against_the_rules_and_a_line_without_form_is_named(
    reviewer: Client, alice: Chatter, tenant: TenantRef
) -> None:
    alice.say("I'm allergic to nickel")
    item = judge_first(reviewer, tenant)
    url = reverse("console:item_case", args=[item.user_id, item.id])
    tried = {"language": "en", "text": "is wool something I'm allergic to?", "facts": "", "try": "1"}
    assert "passes with the active rules" in reviewer.post(url, tried).content.decode()
    wrong = {**tried, "facts": "taste/blue = blue"}
    assert "line 1 has no form" in reviewer.post(url, wrong).content.decode()
    with tenant_scope(tenant.id):
        assert MessageCase.objects.count() == 0


# --- costs, switch, settings, badge -----------------------------------------------------------------------------------


def test_costs_stand_by_run_by_day_and_by_accepted_fact(
    log_in: LogIn, alice: Chatter, scripted_model: MakeModel, settings: Any
) -> None:
    settings.UNDE_LLM_PRICE_IN = 2.0
    alice.say("my skin hates wool, allergic as ever")
    alice.say("I never wear leather", created_at=timezone.now() - timedelta(days=20))
    wool = propose(knowledge_key="wool", value="wool", evidence_message_ids=["m2"])
    refused = propose(knowledge_key="latex", value="latex", evidence_message_ids=["m2"])
    extract(alice, scripted_model({"operations": [wool, refused]}))
    page = get_text(log_in(Role.AUDITOR), "console:extraction")
    assert "data-tokens>1,050</b>" in page.replace(" ", " ")
    assert "value not in evidence" in page
    assert "by day" in page.lower()


def test_runs_that_failed_are_counted_by_their_reason(log_in: LogIn, alice: Chatter, scripted_model: MakeModel) -> None:
    alice.say("I never wear leather", created_at=timezone.now() - timedelta(days=20))
    extract(alice, scripted_model("It seems that you like it quiet."))
    page = get_text(log_in(Role.AUDITOR), "console:extraction")
    assert "Why runs failed" in page
    assert "answer prose" in page


def test_extraction_is_visibly_off_without_an_endpoint(reviewer: Client) -> None:
    page = get_text(reviewer, "console:extraction")
    assert "off: UNDE_LLM_URL and UNDE_LLM_MODEL are not set" in page
    numbers = get_text(reviewer, "console:review_numbers")
    assert "off: no model is connected" in numbers
    queue = get_text(reviewer, "console:review")
    assert 'aria-valuenow="0"' in queue, "nothing is judged and nothing waits: a full bar would say otherwise"
    assert "Asia/Dubai" in queue


def test_an_operator_turns_extraction_off_and_on_and_a_reviewer_does_not(
    log_in: LogIn, reviewer: Client, tenant: TenantRef
) -> None:
    operator, url = log_in(Role.OPERATOR), reverse("console:switch_extraction")
    assert reviewer.post(url, {"mode": "off"}).status_code == 403
    operator.post(url, {"mode": "off"})
    state = get_state(tenant_id=tenant.id, default_share=0.01)
    assert (state.mode, state.reason) == ("off", "by_staff")
    operator.post(url, {"mode": "sideways"})
    operator.post(url, {"mode": "on"})
    assert get_state(tenant_id=tenant.id, default_share=0.01).mode == "on"


def test_settings_are_explained_stored_and_audited(operator: Client, reviewer: Client, tenant: TenantRef) -> None:
    page = get_text(operator, "console:settings")
    assert "never certain" in page
    form = {
        "is_extraction_on": "on",
        "is_adaptive_policy_on": "on",
        "extraction_daily_tokens": "5000",
        "reviewers_per_item": "2",
        "legal_profile": "default",
    }
    assert operator.post(reverse("console:settings"), form).status_code == 302
    with tenant_scope(tenant.id):
        stored = read_settings(Tenant.objects.get(id=tenant.id))
        assert AuditEvent.objects.filter(action="tenant.change_settings").count() == 1
    assert (stored.is_adaptive_policy_on, stored.reviewers_per_item, stored.is_extraction_on) == (True, 2, True)
    assert get_daily_tokens(tenant_id=tenant.id, default=1) == 5000
    assert "No changes." in operator.post(reverse("console:settings"), form, follow=True).content.decode()
    assert reviewer.get(reverse("console:settings")).status_code == 403


@pytest.mark.parametrize(
    "wrong", [{"reviewers_per_item": "9"}, {"extraction_daily_tokens": "-1"}, {"legal_profile": "x"}]
)
def test_settings_out_of_bounds_are_refused(operator: Client, tenant: TenantRef, wrong: dict[str, str]) -> None:
    form = {"reviewers_per_item": "1", "legal_profile": "default", **wrong}
    assert operator.post(reverse("console:settings"), form).status_code == 200
    with tenant_scope(tenant.id):
        assert Tenant.objects.get(id=tenant.id).settings == {}


def test_the_sidebar_says_how_many_items_wait_and_only_to_reviewers(
    reviewer: Client, operator: Client, alice: Chatter, tenant: TenantRef
) -> None:
    from config.console.navigation import list_navigation

    def find_badge(client: Client) -> Any:
        request = client.get(reverse("console:extraction")).wsgi_request
        entries = [item for group in list_navigation(request) for item in group["items"]]
        return next((item.get("badge") for item in entries if item["title"] == "Review queue"), None)

    assert find_badge(reviewer) is None
    alice.say("I'm allergic to nickel")
    alice.say("My size is M")
    judge_first(reviewer, tenant)
    assert find_badge(reviewer) == "1"
    assert find_badge(operator) is None


# --- what an item costs -----------------------------------------------------------------------------------------------


def count_statements(client: Client) -> int:
    """Statements of one verdict by key, the next item included."""
    card = client.get(reverse("console:review")).context["card"]
    verdict = {"item": card.item.id, "verdict": "correct", "token": card.token, "milliseconds": 900}
    url = reverse("console:review_verdict")
    return len(list_statements(lambda: client.post(url, verdict, headers={"HX-Request": "true"})))


def test_an_item_costs_the_same_statements_however_many_wait(reviewer: Client, tenant: TenantRef) -> None:
    now = timezone.now()

    def learn(first: int, last: int) -> None:
        for number in range(first, last):
            Chatter(tenant, f"user-{number}").say("My size is M")
        sample_recent(tenant_id=tenant.id, source="instant", count=500, since=now - timedelta(days=1), now=now)

    learn(0, 4)
    few = [count_statements(reviewer) for _ in range(2)]
    learn(4, 60)
    many = [count_statements(reviewer) for _ in range(2)]
    # Once in a while a process looks whether its rules are still in force: one statement more.
    assert abs(max(many) - max(few)) <= 1
    assert max(*few, *many) <= MAX_STATEMENTS_AN_ITEM


def test_a_users_page_shows_what_is_not_proved_and_an_operator_dismisses_it(
    operator: Client, reviewer: Client, alice: Chatter, scripted_model: MakeModel
) -> None:
    with tenant_scope(alice.tenant.id):
        Tenant.objects.filter(id=alice.tenant.id).update(settings={"is_adaptive_policy_on": True})
    alice.say("I love minimalist cuts, and by the way I'm allergic to titanium")
    taste = propose(knowledge_type="preference", knowledge_key="style", value="minimalist cuts")
    assert extract(alice, scripted_model({"operations": [taste, TITANIUM]})).status == "done"
    page = get_text(reviewer, "console:user_facts", alice.ref.id)
    assert "minimalist cuts" in page
    assert "unverified, in packs" in page
    assert "Dismiss" not in page
    (item,) = alice.read(list_held_items)
    url = reverse("console:dismiss_item", args=[alice.ref.id, item.id])
    assert url in get_text(operator, "console:user_facts", alice.ref.id)
    assert reviewer.post(url).status_code == 403
    operator.post(url)
    assert alice.read(list_held_items) == []
