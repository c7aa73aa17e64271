"""Rules and words, changed by staff: refused in words, saved as versions, shared rows for the installation's staff alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from memory.ingest.types import TenantRef
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from patterns.models import LexiconEntry, Rule
from patterns.pack import Pack, load_pack
from patterns.registry import SHIPPED
from patterns.selectors import find_version, get_stored_pack
from patterns.services.packs import import_pack
from tests.api.console.conftest import make_staff

pytestmark = pytest.mark.django_db

SLUG = "allergy-en-balloon"


@cache
def load_small() -> Pack:
    """Two rules of the shipped pack with the English words, so that a check is quick."""
    pack = load_pack(SHIPPED)
    rules = tuple(rule for rule in pack.rules if rule.slug in ("allergy-en-word", "ban-en-order"))
    return Pack(
        "small", rules, tuple(entry for entry in pack.entries if entry.language in ("en", "mixed")), pack.settings
    )


@pytest.fixture(autouse=True)
def shipped(db: None) -> None:
    import_pack(load_small())


@pytest.fixture
def editor(log_in: Callable[[Role], Client]) -> Client:
    return log_in(Role.PATTERN_EDITOR)


@pytest.fixture
def root(client: Client, tenant: TenantRef) -> Client:
    client.force_login(make_staff("root", is_superuser=True))
    client.post(reverse("console:switch_tenant"), {"tenant": str(tenant.id)})
    return client


def make_fields(**changed: Any) -> dict[str, Any]:
    """A rule that can be saved, with some of its fields changed."""
    fields = {
        "slug": SLUG,
        "knowledge_type": "allergy",
        "language": "en",
        "purpose": "extract",
        "kind": "",
        "pattern": "i balloon up from",
        "category": "",
        "object_side": "after",
        "positive": "i balloon up from nickel\ni balloon up from latex",
        "negative": "my sister balloons up from nickel\nmy mother balloons up from latex",
        "is_active": "on",
        "scope": "own",
    }
    shipped = Rule.objects.filter(slug="allergy-en-word", tenant_id=None).values("kind", "object_side").get()
    return fields | shipped | changed


def test_a_saved_rule_is_in_force_for_its_tenant_alone(editor: Client, tenant: TenantRef) -> None:
    before = find_version()
    answer = editor.post(reverse("console:new_rule"), make_fields())
    rule = Rule.objects.get(slug=SLUG)
    assert answer["Location"] == reverse("console:edit_rule", args=[rule.id])
    assert (rule.tenant_id, rule.version) == (tenant.id, 1)
    assert find_version() != before
    assert SLUG in {one.slug for one in get_stored_pack(tenant_id=tenant.id).rules}
    assert SLUG not in {one.slug for one in get_stored_pack(tenant_id=None).rules}


def test_saving_is_audited_with_the_rules_id(editor: Client, tenant: TenantRef) -> None:
    editor.post(reverse("console:new_rule"), make_fields())
    with tenant_scope(tenant.id):
        event = AuditEvent.objects.get(action="rule.save")
    assert event.object_ids == [Rule.objects.get(slug=SLUG).id]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"pattern": "i balloon (up"}, "does not compile"),
        ({"pattern": "", "category": ""}, "the pattern is empty"),
        ({"pattern": "i balloon .* from"}, "may span at most"),
        ({"negative": "i balloon up from latex\nmy mother balloons up from latex"}, "must be left alone and is caught"),
        ({"positive": "i like nickel\ni balloon up from latex"}, "must be caught and is not"),
        ({"positive": ""}, "This field is required"),
    ],
)
def test_a_bad_rule_is_refused_in_words(editor: Client, changed: dict[str, str], reason: str) -> None:
    answer = editor.post(reverse("console:new_rule"), make_fields(**changed))
    assert reason in answer.content.decode()
    assert not Rule.objects.filter(slug=SLUG).exists()


def test_what_is_typed_is_tried_without_saving(editor: Client) -> None:
    answer = editor.post(reverse("console:check_rule"), make_fields())
    assert "No example of any rule comes out otherwise" in answer.content.decode()
    assert answer.context["samples"][0].found[0].reading.rule == SLUG
    assert not Rule.objects.filter(slug=SLUG).exists()


def test_a_tenants_editor_cannot_write_for_all(editor: Client) -> None:
    answer = editor.post(reverse("console:new_rule"), make_fields(scope="shared"))
    assert "Select a valid choice" in answer.content.decode()
    assert not Rule.objects.filter(slug=SLUG).exists()


def test_the_installations_staff_write_for_all(root: Client) -> None:
    root.post(reverse("console:new_rule"), make_fields(scope="shared"))
    assert Rule.objects.get(slug=SLUG).tenant_id is None


def test_every_save_is_a_version_and_an_older_one_can_be_put_back(editor: Client) -> None:
    editor.post(reverse("console:new_rule"), make_fields())
    rule = Rule.objects.get(slug=SLUG)
    url = reverse("console:edit_rule", args=[rule.id])
    editor.post(url, make_fields(pattern="i (?:always )?balloon up from"))
    editor.post(reverse("console:restore_rule", args=[rule.id, 1]))
    rule.refresh_from_db()
    assert (rule.version, rule.pattern) == (3, "i balloon up from")
    assert [kept.version for kept in rule.versions.order_by("version")] == [1, 2, 3]


def test_another_tenants_rule_is_not_found(editor: Client, other_tenant: TenantRef) -> None:
    foreign = Rule.objects.create(
        slug="theirs",
        tenant_id=other_tenant.id,
        knowledge_type="allergy",
        language="en",
        pattern="x",
        positive_examples=["x"],
        negative_examples=["y"],
    )
    assert editor.get(reverse("console:edit_rule", args=[foreign.id])).status_code == 404
    assert "theirs" not in editor.get(reverse("admin:patterns_rule_changelist")).content.decode()


def test_a_new_word_is_in_force_for_its_tenant(editor: Client, tenant: TenantRef) -> None:
    known = LexiconEntry.objects.filter(canonical="nickel", language="en", tenant_id=None).first()
    assert known is not None
    fields = {
        "category": known.category,
        "canonical": "zamak",
        "language": "en",
        "aliases": "zamak\nzamac",
        "forms_": "",
        "is_active": "on",
        "scope": "own",
    }
    assert editor.post(reverse("console:new_entry"), fields).status_code == 302
    saved = LexiconEntry.objects.get(canonical="zamak")
    assert (saved.tenant_id, saved.aliases) == (tenant.id, ["zamak", "zamac"])


def test_words_that_break_a_rules_example_are_refused(root: Client) -> None:
    entry = LexiconEntry.objects.filter(canonical="leather", language="en", tenant_id=None).first()
    assert entry is not None
    fields = {
        "category": entry.category,
        "canonical": "leather",
        "language": "en",
        "aliases": "something else",
        "forms_": "",
        "is_active": "on",
        "scope": "shared",
    }
    answer = root.post(reverse("console:edit_entry", args=[entry.id]), fields)
    assert "must be caught and is not" in answer.content.decode()
    entry.refresh_from_db()
    assert "leather" in entry.aliases


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.OPERATOR, Role.AUDITOR])
def test_rules_are_for_pattern_editors(log_in: Callable[[Role], Client], role: Role) -> None:
    browser = log_in(role)
    assert browser.get(reverse("console:new_rule")).status_code == 403
    assert browser.get(reverse("admin:patterns_rule_changelist")).status_code == 403
    assert browser.get(reverse("admin:patterns_lexiconentry_changelist")).status_code == 403
