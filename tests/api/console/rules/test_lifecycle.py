"""Draft, backtest, trial, everybody, and back: by the buttons of the console."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.tenants import change_settings
from memory.tenants.types import Role, TenantSettings
from memory.types import TenantRef
from patterns.models import Rule
from patterns.registry import refresh_rule_sets
from patterns.rules.pack import compile_packs
from patterns.selectors import get_stored_pack
from tests.api.console.conftest import make_staff
from tests.api.console.rules.conftest import SLUG, backtest, find_draft, make_fields, publish
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def drafted(editor: Client) -> Rule:
    editor.post(reverse("console:new_rule"), make_fields())
    return Rule.objects.get(slug=SLUG)


def list_rules(tenant: TenantRef, text: str = "i balloon up from nickel") -> list[str]:
    rule_set = compile_packs([get_stored_pack(tenant_id=tenant.id)], version=0)
    return [reading.rule for reading in rule_set.read(text, said_at=NOW).readings]


def list_actions(tenant: TenantRef) -> list[str]:
    with tenant_scope(tenant.id):
        return list(AuditEvent.objects.order_by("happened_at").values_list("action", flat=True))


def test_a_draft_cannot_be_published_or_tried_before_its_backtest(
    editor: Client, drafted: Rule, tenant: TenantRef
) -> None:
    version = find_draft()
    editor.post(reverse("console:publish_version", args=["rule", version.id]))
    editor.post(reverse("console:try_version", args=["rule", version.id]), {"percent": "10"})
    drafted.refresh_from_db()
    assert (drafted.state, list_rules(tenant)) == ("draft", [])


def test_a_backtested_draft_is_tried_published_and_rolled_back_and_all_of_it_is_audited(
    editor: Client, drafted: Rule, tenant: TenantRef
) -> None:
    version = find_draft()
    backtest(editor, version, tenant)
    editor.post(reverse("console:try_version", args=["rule", version.id]), {"percent": "10"})
    version.refresh_from_db()
    assert (version.state, version.canary_percent) == ("canary", 10)
    editor.post(reverse("console:publish_version", args=["rule", version.id]))
    assert list_rules(tenant) == [SLUG]
    editor.post(reverse("console:edit_rule", args=[drafted.id]), make_fields(pattern="i (?:do )?balloon up from"))
    publish(editor, find_draft(), tenant)
    editor.post(reverse("console:restore_version", args=["rule", drafted.id, 1]))
    drafted.refresh_from_db()
    assert (drafted.version, drafted.pattern) == (3, "i balloon up from")
    wanted = {"rule.draft", "backtest.start", "rule.canary", "rule.publish", "rule.restore"}
    assert wanted <= set(list_actions(tenant))


def test_quarantine_wants_a_reason_and_shows_it(editor: Client, drafted: Rule, tenant: TenantRef) -> None:
    publish(editor, find_draft(), tenant)
    url = reverse("console:quarantine", args=["rule", drafted.id])
    editor.post(url, {"reason": ""})
    assert list_rules(tenant) == [SLUG]
    page = editor.post(url, {"reason": "reads balloons"}, follow=True).content.decode()
    assert list_rules(tenant) == []
    assert "reads balloons" in page
    assert "rule.quarantine" in list_actions(tenant)


def test_an_editor_puts_a_shared_rule_in_quarantine_for_the_own_tenant_alone(
    editor: Client, tenant: TenantRef, other_tenant: TenantRef
) -> None:
    shared = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
    fields = {"reason": "too wide", "scope": "shared"}
    editor.post(reverse("console:quarantine", args=["rule", shared.id]), fields)
    shared.refresh_from_db()
    assert shared.is_active
    text = "i'm allergic to nickel"
    assert (list_rules(tenant, text), list_rules(other_tenant, text)) == ([], ["allergy-en-word"])


def test_the_installations_staff_put_a_shared_rule_in_quarantine_for_all(root: Client, other_tenant: TenantRef) -> None:
    shared = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
    root.post(reverse("console:quarantine", args=["rule", shared.id]), {"reason": "too wide", "scope": "shared"})
    assert list_rules(other_tenant, "i'm allergic to nickel") == []


def test_an_editor_can_neither_publish_nor_put_back_a_shared_rule(editor: Client, root: Client) -> None:
    root.post(reverse("console:new_rule"), make_fields(scope="shared"))
    version = find_draft()
    assert editor.post(reverse("console:publish_version", args=["rule", version.id])).status_code == 404
    shared = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
    assert editor.post(reverse("console:restore_version", args=["rule", shared.id, 1])).status_code == 404


def test_an_operator_of_the_installation_edits_what_is_for_all(client: Client, tenant: TenantRef) -> None:
    client.force_login(make_staff("installer", role=Role.OPERATOR))
    client.post(reverse("console:switch_tenant"), {"tenant": str(tenant.id)})
    client.post(reverse("console:new_rule"), make_fields(scope="shared"))
    publish(client, find_draft(), tenant)
    assert Rule.objects.get(slug=SLUG, tenant_id=None).state == "published"


def test_versions_show_what_changed_who_and_when(editor: Client, drafted: Rule, tenant: TenantRef) -> None:
    publish(editor, find_draft(), tenant)
    url = reverse("console:edit_rule", args=[drafted.id])
    editor.post(url, make_fields(pattern="i (?:do )?balloon up from"))
    page = editor.get(url).content.decode()
    assert "<ins>(?:do )?</ins>" in page
    assert f"pattern_editor-{tenant.id.hex[-8:]}" in page


@pytest.fixture
def chats(alice: Chatter, bob: Chatter) -> Chatter:
    alice.say("honestly by now you know that i balloon up from nickel whenever i wear it, call me at 0501234567")
    alice.say("my size is M")
    bob.say("i balloon up from wool")
    return alice


def test_a_backtest_counts_what_would_be_added(
    editor: Client, drafted: Rule, tenant: TenantRef, chats: Chatter
) -> None:
    row = backtest(editor, find_draft(), tenant)
    assert row.state == "done"
    assert sum(counts.get("added", 0) for counts in row.counts.values()) == 2
    assert sum(counts["read"] for counts in row.counts.values()) == 3


def test_words_of_users_stay_hidden_unless_the_tenant_allows_snippets(
    editor: Client, drafted: Rule, tenant: TenantRef, chats: Chatter
) -> None:
    row = backtest(editor, find_draft(), tenant)
    url = reverse("console:backtest", args=[row.id])
    page = editor.get(url).content.decode()
    assert "nickel" not in page
    assert "Rule editors see masked snippets" in page
    settings = TenantSettings(has_rule_editor_snippets=True)
    change_settings(tenant=Tenant.objects.get(id=tenant.id), settings=settings, actor=SYSTEM, now=NOW)
    page = editor.get(url).content.decode()
    assert "<mark>i balloon up from nickel</mark>" in page
    assert "honestly" not in page
    assert "0501234567" not in page


def test_a_whole_message_is_for_reviewers_and_every_look_is_audited(
    editor: Client, drafted: Rule, tenant: TenantRef, chats: Chatter, client: Client
) -> None:
    from corrections.backtests.selectors import list_samples
    from memory.tenants.services.staff import grant_role

    row = backtest(editor, find_draft(), tenant)
    with tenant_scope(tenant.id):
        samples = list_samples(backtest_id=row.id)
    sample = next(one for one in samples if one.message_id == chats.said[0].message_id)
    url = reverse("console:unmask_sample", args=[row.id, sample.id])
    assert editor.post(url).status_code == 403
    both = make_staff("both", tenant=tenant, role=Role.PATTERN_EDITOR)
    grant_role(user=both, role=Role.REVIEWER, tenant=Tenant.objects.get(id=tenant.id), actor=SYSTEM, now=NOW)
    client.force_login(both)
    assert "0501234567" in client.post(url).content.decode()
    with tenant_scope(tenant.id):
        assert AuditEvent.objects.get(action="backtest.unmask").object_ids == [sample.message_id]


def test_another_tenants_backtest_is_not_found(
    editor: Client, drafted: Rule, tenant: TenantRef, other_tenant: TenantRef, client: Client
) -> None:
    row = backtest(editor, find_draft(), tenant)
    client.force_login(make_staff("stranger", tenant=other_tenant, role=Role.PATTERN_EDITOR))
    assert client.get(reverse("console:backtest", args=[row.id])).status_code == 404


def test_the_console_says_that_a_broken_set_is_not_in_force(
    editor: Client, drafted: Rule, log_in: Callable[[Role], Client]
) -> None:
    from patterns.registry import RuleSetRefused
    from patterns.services.versions import raise_rule_set_version

    Rule.objects.create(
        slug="wrong-promise",
        knowledge_type="hard_ban",
        language="en",
        kind="explicit",
        pattern="begone",
        positive_examples=["begone dull care"],
        negative_examples=["hello"],
    )
    raise_rule_set_version()
    with pytest.raises(RuleSetRefused):
        refresh_rule_sets()
    import patterns.registry

    patterns.registry._registry._last_poll_at = float("-inf")
    page = editor.get(reverse("console:rule_changes")).content.decode()
    assert "wrong-promise" in page
