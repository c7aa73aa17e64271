"""Publishing asks once, can be planned, and wants a second person where the tenant says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.console.navigation import list_navigation
from corrections.tasks import publish_due
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.tenants import change_settings
from memory.tenants.types import Role, TenantSettings
from memory.types import TenantRef
from patterns.models import LexiconEntry, Publication, Rule, RuleVersion
from patterns.rules.pack import Pack
from patterns.services.publishing import save_rule_draft
from tests.api.console.conftest import make_staff
from tests.api.console.rules.conftest import SLUG, backtest, find_draft, make_fields
from tests.db.patterns.conftest import make_balloon_rule

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(editor: Client, tenant: TenantRef) -> RuleVersion:
    """A draft whose backtest was run to its end."""
    editor.post(reverse("console:new_rule"), make_fields(pattern="i balloon up from|i puff up from"))
    draft = find_draft()
    backtest(editor, draft, tenant)
    return draft


@pytest.fixture
def second(tenant: TenantRef) -> Client:
    browser = Client()
    browser.force_login(make_staff("second", tenant=tenant, role=Role.PATTERN_EDITOR))
    return browser


@pytest.fixture
def wants_two(tenant: TenantRef) -> None:
    settings = TenantSettings(needs_second_publisher=True)
    change_settings(tenant=Tenant.objects.get(id=tenant.id), settings=settings, actor=SYSTEM, now=timezone.now())


def get_url(version: RuleVersion, name: str = "publish_version") -> str:
    return reverse(f"console:{name}", args=["rule", version.id])


def press(browser: Client, version: RuleVersion, name: str = "publish_version", **fields: str) -> str:
    return browser.post(get_url(version, name), fields, follow=True).content.decode()


def get_state() -> str:
    return Rule.objects.get(slug=SLUG).state


def list_actions(tenant: TenantRef) -> list[str]:
    with tenant_scope(tenant.id):
        return list(AuditEvent.objects.values_list("action", flat=True))


def test_the_page_shows_the_difference_and_the_figures_and_publishes_nothing(
    editor: Client, version: RuleVersion
) -> None:
    page = editor.get(get_url(version)).content.decode()
    assert "<ins>i balloon up from</ins>" in page
    assert "<ins>i puff up from</ins>" in page
    assert "Facts added" in page
    assert get_state() == "draft"


def test_what_takes_the_place_of_a_shared_rule_says_what_is_in_force_until_then(
    editor: Client, tenant: TenantRef
) -> None:
    shared = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
    fields = make_fields(slug=shared.slug, pattern="allerg(?:y|ic) (?:to|from)|i balloon up from")
    editor.post(reverse("console:edit_rule", args=[shared.id]), fields)
    draft = find_draft(shared.slug)
    page = editor.get(reverse("console:edit_rule", args=[draft.rule_id])).content.decode()
    assert f"the shared v{shared.version}" in page
    assert "Never published" not in page
    backtest(editor, draft, tenant)
    assert f"compared with the shared v{shared.version}" in editor.get(get_url(draft)).content.decode()


def test_a_share_that_is_none_is_refused(editor: Client, version: RuleVersion) -> None:
    for percent in ("²", "9" * 5_000, "-1", "0", "101"):
        assert "now applies to" not in press(editor, version, "try_version", percent=percent), percent[:9]
        assert find_draft().state == "draft", percent[:9]


def test_a_load_of_a_pack_is_told_once_with_all_its_rules(editor: Client, shipped: Pack) -> None:
    (load,) = editor.get(reverse("console:rule_changes")).context["loads"]
    assert (load["pack"], load["rules"]) == ("small", len(shipped.rules))


def test_publishing_says_what_it_did(editor: Client, version: RuleVersion) -> None:
    assert "Version 1 now applies to everybody (takes a few seconds)." in press(editor, version, when="now")
    assert get_state() == "published"


def test_a_time_is_kept_until_the_scheduler_publishes_it_and_that_is_audited(
    editor: Client, version: RuleVersion, tenant: TenantRef
) -> None:
    at = timezone.now().astimezone(tenant.zone) + timedelta(days=1)
    page = press(editor, version, when="later", publish_at=at.strftime("%Y-%m-%dT%H:%M"))
    assert f"It will be published on {at:%-d %b %Y, %H:%M}" in page
    assert (publish_due(), get_state()) == (0, "draft")
    Publication.objects.update(publish_at=timezone.now())
    assert (publish_due(), get_state()) == (1, "published")
    assert {"rule.schedule", "rule.publish"} <= set(list_actions(tenant))


def test_a_schedule_can_be_cancelled(editor: Client, version: RuleVersion, tenant: TenantRef) -> None:
    press(editor, version, when="later", publish_at="2090-01-01T10:00")
    page = press(editor, version, "cancel_plan")
    assert "will not be published. The draft stays." in page
    assert Publication.objects.get().state == "cancelled"
    assert "rule.cancel_publication" in list_actions(tenant)


def test_a_time_that_is_none_or_over_is_asked_for_again(editor: Client, version: RuleVersion) -> None:
    for typed in ("", "yesterday", "2001-01-01T10:00", "2090-13-01T10:00", "9999-12-31T23:59"):
        assert "Choose a time in the future" in press(editor, version, when="later", publish_at=typed), typed
        assert not Publication.objects.exists(), typed


@pytest.mark.usefixtures("wants_two")
class TestSecondPerson:
    def test_the_author_asks_and_cannot_approve(self, editor: Client, version: RuleVersion, tenant: TenantRef) -> None:
        assert "Request approval" in editor.get(get_url(version)).content.decode()
        assert "waiting for a second person" in press(editor, version, when="now")
        assert "a second person has to approve it" in press(editor, version, "approve_plan")
        assert get_state() == "draft"

    def test_another_editor_publishes_it(
        self, editor: Client, version: RuleVersion, second: Client, tenant: TenantRef
    ) -> None:
        press(editor, version, when="now")
        page = second.get(reverse("console:edit_rule", args=[version.rule_id])).content.decode()
        assert "Review and approve" in page
        assert "Publish …" not in page
        assert "now applies to everybody" in press(second, version, when="now")
        assert (get_state(), Publication.objects.latest("asked_at").approved_by != "") == ("published", True)
        assert {"rule.ask_second_person", "rule.publish"} <= set(list_actions(tenant))

    def test_the_time_that_the_author_asked_for_is_shown_and_kept_when_somebody_approves(
        self, editor: Client, version: RuleVersion, second: Client
    ) -> None:
        press(editor, version, when="later", publish_at="2090-01-01T10:00")
        page = second.get(get_url(version)).content.decode()
        assert "requests publication on 1 Jan 2090, 10:00 (Asia/Dubai)" in page
        assert f'action="{get_url(version, "approve_plan")}"' in page
        assert 'name="when"' not in page
        assert "It will be published on 1 Jan 2090, 10:00" in press(second, version, "approve_plan")
        assert get_state() == "draft"

    def test_a_trial_of_everybody_by_the_author_alone_is_refused(self, editor: Client, version: RuleVersion) -> None:
        page = press(editor, version, "try_version", percent="100")
        assert "at most 50 % of users" in page
        assert "now applies to 50 % of users" in press(editor, version, "try_version", percent="50")


def test_publishing_is_for_rule_editors(log_in: Callable[[Role], Client], version: RuleVersion) -> None:
    for role in (Role.REVIEWER, Role.OPERATOR, Role.AUDITOR):
        browser = log_in(role)
        for name in ("publish_version", "approve_plan", "cancel_plan"):
            assert browser.post(get_url(version, name)).status_code == 403, (role, name)


def test_a_plan_that_is_not_there_is_not_found(editor: Client, version: RuleVersion) -> None:
    assert editor.post(get_url(version, "approve_plan")).status_code == 404


def test_another_tenants_version_is_not_found(version: RuleVersion, other_tenant: TenantRef) -> None:
    stranger = Client()
    stranger.force_login(make_staff("stranger", tenant=other_tenant, role=Role.PATTERN_EDITOR))
    assert stranger.get(get_url(version)).status_code == 404


class TestEditor:
    def test_a_rule_is_copied_under_a_name_of_its_own(self, editor: Client) -> None:
        shared = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
        page: Any = editor.get(reverse("console:new_rule"), {"copy": str(shared.id)})
        initial = page.context["form"].initial
        assert (initial["slug"], initial["pattern"]) == ("allergy-en-word-copy", shared.pattern)
        fields = {name: value for name, value in initial.items() if value is not None}
        fields["pattern"] = page.context["form"]["pattern"].value()
        editor.post(reverse("console:new_rule"), fields)
        assert find_draft("allergy-en-word-copy").content["pattern"] == shared.pattern

    @pytest.mark.parametrize("wrong", ["x", "00000000-0000-0000-0000-000000000000"])
    def test_a_rule_that_is_not_there_is_not_copied(self, editor: Client, wrong: str) -> None:
        assert editor.get(reverse("console:new_rule"), {"copy": wrong}).status_code == 404

    def test_tried_messages_stay_when_a_draft_is_refused(self, editor: Client) -> None:
        answer = editor.post(reverse("console:new_rule"), make_fields(pattern="i balloon (up", messages="وش السالفة"))
        assert re.search(r"<textarea[^>]*id=\"try-messages\"[^>]*>وش السالفة</textarea>", answer.content.decode())

    def test_a_kind_of_another_type_is_refused(self, editor: Client) -> None:
        answer = editor.post(reverse("console:new_rule"), make_fields(kind="habit"))
        assert "Kinds of allergy: noun, sensitive" in answer.content.decode()

    def test_the_kind_is_chosen_from_a_list_with_examples(self, editor: Client) -> None:
        page = editor.get(reverse("console:new_rule")).content.decode()
        assert re.search(r"<optgroup label=\"allergy\">\s*<option value=\"noun\">noun: “", page)

    def test_alternatives_come_one_a_line_and_are_stored_as_one_pattern(self, editor: Client) -> None:
        lines = "i balloon up from\r\n\r\nعندي حساسية من\r\n"
        editor.post(reverse("console:new_rule"), make_fields(pattern=lines))
        assert find_draft().content["pattern"] == "i balloon up from|عندي حساسيه من"
        page = editor.get(reverse("console:edit_rule", args=[find_draft().rule_id])).content.decode()
        assert "i balloon up from\nعندي حساسيه من</textarea>" in page


def test_the_sidebar_marks_where_a_row_was_opened_from(editor: Client, shipped: Pack) -> None:
    def find_marked(address: str) -> list[str]:
        request = editor.get(address).wsgi_request
        return [one["title"] for group in list_navigation(request) for one in group["items"] if one.get("active")]

    words = LexiconEntry.objects.filter(tenant_id=None)
    pages = {
        "Lexicon": reverse("console:edit_entry", args=[words.filter(category="fabric").first().id]),
        "Grammar lists": reverse("console:edit_entry", args=[words.filter(canonical="nobody").first().id]),
        "Rules": reverse("console:edit_rule", args=[Rule.objects.filter(tenant_id=None).first().id]),
    }
    assert {name: find_marked(address) for name, address in pages.items()} == {name: [name] for name in pages}


def test_the_list_of_changes_takes_as_many_statements_for_many_drafts_as_for_one(
    editor: Client, version: RuleVersion, tenant: TenantRef
) -> None:
    words = {"category": "irritant", "canonical": "zamak", "language": "en", "aliases": "zamak", "scope": "own"}
    editor.post(reverse("console:new_entry"), words)

    def count() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as queries:
            page = editor.get(reverse("console:rule_changes"))
        return len(page.context["open_changes"]), len(queries)

    count()  # the rule set of the tenant is looked for once
    few = count()
    for place in range(3):
        rule = make_balloon_rule(
            slug=f"balloon-{place}",
            pattern=f"i balloon{place} up from",
            positive=(f"i balloon{place} up from nickel", f"i balloon{place} up from wool"),
        )
        save_rule_draft(rule, tenant_id=tenant.id, changed_by=version.changed_by)
    many = count()
    assert (few[0], many[0]) == (2, 5)
    assert many[1] == few[1]
