"""Rules and words in the console: tried unsaved, refused in words, kept as drafts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from patterns.models import LexiconEntry, Rule, RuleVersion
from patterns.selectors import find_version
from tests.api.console.rules.conftest import SLUG, find_draft, make_fields

pytestmark = pytest.mark.django_db


def test_a_saved_rule_is_a_draft_of_its_tenant_and_nobody_is_read_by_it(editor: Client, tenant: TenantRef) -> None:
    before = find_version()
    answer = editor.post(reverse("console:new_rule"), make_fields())
    rule = Rule.objects.get(slug=SLUG)
    assert answer["Location"] == reverse("console:edit_rule", args=[rule.id])
    assert (rule.tenant_id, rule.state, rule.is_active) == (tenant.id, "draft", False)
    assert (find_draft().note, find_version()) == ("heard in chats", before)


def test_keeping_a_draft_is_audited_with_the_rules_id(editor: Client, tenant: TenantRef) -> None:
    editor.post(reverse("console:new_rule"), make_fields())
    with tenant_scope(tenant.id):
        event = AuditEvent.objects.get(action="rule.draft")
    assert event.object_ids == [Rule.objects.get(slug=SLUG).id]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"pattern": "i balloon (up"}, "a bracket ( is never closed"),
        ({"pattern": "i balloon (?<=up)"}, "write the words themselves"),
        ({"pattern": "", "category": ""}, "the pattern is empty"),
        ({"pattern": "i balloon .* from"}, "may span at most"),
        ({"negative": "i balloon up from latex\nhello"}, "must not match but does"),
        ({"positive": "i like nickel\ni like wool"}, "must match but does not"),
        ({"positive": "i balloon up from nickel"}, "at least two different messages"),
        ({"positive": ""}, "This field is required"),
        ({"slug": "my rule"}, "Use Latin letters, digits"),
        ({"pattern": "(?:(?:i balloon up){1,900}){1,9} from"}, "a repetition spans too much"),
    ],
)
def test_a_bad_rule_is_refused_in_words(editor: Client, changed: dict[str, str], reason: str) -> None:
    answer = editor.post(reverse("console:new_rule"), make_fields(**changed))
    assert reason in answer.context["form"].errors.as_json() or reason in answer.content.decode()
    assert not RuleVersion.objects.filter(rule__slug=SLUG).exists()


def test_the_unsaved_rule_reads_the_typed_messages_beside_what_is_in_force(editor: Client) -> None:
    typed = "i balloon up from latex\nmy sister says: i balloon up from wool?"
    answer = editor.post(reverse("console:check_rule"), make_fields(messages=typed))
    caught, refused = answer.context["typed"]
    assert (caught.found[0].reading.rule, caught.found[0].reading.value) == (SLUG, "latex")
    assert caught.triggers[0].text == "i balloon up from"
    assert caught.was == ()
    assert refused.refused[0].step == "statement"
    assert "All examples and golden cases pass" in answer.content.decode()
    assert not Rule.objects.filter(slug=SLUG).exists()


def test_the_page_says_that_capitals_are_small_letters_and_how_a_pattern_is_seen(editor: Client) -> None:
    answer = editor.post(reverse("console:check_rule"), make_fields(pattern="I balloon up (?:[A-Z]{1,3} )?from"))
    page = answer.content.decode()
    assert "[A-Z] matches every Latin letter" in page
    assert "i balloon up (?:[a-z]{1,3} )?from" in page


def test_the_page_says_which_spelling_catches_all_the_others(editor: Client) -> None:
    answer = editor.post(reverse("console:check_rule"), make_fields(pattern="3endy 7osasiya min"))
    assert "“3endy” is a spelling of “3indi”" in answer.content.decode()


def test_the_form_goes_on_with_the_open_draft(editor: Client) -> None:
    editor.post(reverse("console:new_rule"), make_fields(pattern="i (?:do )?balloon up from"))
    rule = Rule.objects.get(slug=SLUG)
    answer = editor.get(reverse("console:edit_rule", args=[rule.id]))
    assert answer.context["form"].initial["pattern"] == "i (?:do )?balloon up from"


def test_an_editor_who_changes_a_shared_rule_makes_the_tenants_own(editor: Client, tenant: TenantRef) -> None:
    shared = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
    url = reverse("console:edit_rule", args=[shared.id])
    fields = editor.get(url).context["form"].initial
    editor.post(url, fields | {"note": "", "scope": "own", "pattern": f"{shared.pattern}|i swell up from"})
    own = Rule.objects.get(slug="allergy-en-word", tenant_id=tenant.id)
    assert (own.state, find_draft("allergy-en-word").rule_id) == ("draft", own.id)


def test_a_tenants_editor_cannot_write_for_all(editor: Client) -> None:
    answer = editor.post(reverse("console:new_rule"), make_fields(scope="shared"))
    assert "Select a valid choice" in answer.content.decode()
    assert not Rule.objects.filter(slug=SLUG).exists()


def test_the_installations_staff_write_for_all(root: Client) -> None:
    root.post(reverse("console:new_rule"), make_fields(scope="shared"))
    assert Rule.objects.get(slug=SLUG).tenant_id is None


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


def make_words(**changed: str) -> dict[str, str]:
    words = {"category": "irritant", "canonical": "zamak", "language": "en", "aliases": "zamak\nzamac", "forms_": ""}
    return words | {"note": "", "scope": "own"} | changed


def test_new_words_are_a_draft_and_are_tried_on_typed_messages(editor: Client, tenant: TenantRef) -> None:
    tried = editor.post(reverse("console:check_entry"), make_words(messages="i'm allergic to zamak"))
    assert tried.context["typed"][0].found[0].reading.value == "zamak"
    assert editor.post(reverse("console:new_entry"), make_words()).status_code == 302
    entry = LexiconEntry.objects.get(canonical="zamak")
    assert (entry.tenant_id, entry.state) == (tenant.id, "draft")


def test_words_that_break_a_golden_case_are_refused_with_its_text(root: Client) -> None:
    words = make_words(category="decoy", canonical="trap", aliases="7asasiya min nickel", scope="shared")
    answer = root.post(reverse("console:new_entry"), words)
    assert "golden case K19" in answer.content.decode()
    assert not LexiconEntry.objects.filter(canonical="trap").exists()


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.OPERATOR, Role.AUDITOR])
def test_rules_are_for_pattern_editors(log_in: Callable[[Role], Client], role: Role) -> None:
    browser = log_in(role)
    for page in ("new_rule", "new_entry", "word_lists", "rule_changes", "refusals", "packs"):
        is_seen = role is Role.OPERATOR and page in ("rule_changes", "refusals")
        assert browser.get(reverse(f"console:{page}")).status_code == (200 if is_seen else 403), page


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.OPERATOR, Role.AUDITOR])
def test_the_lists_of_rules_and_words_are_for_pattern_editors(log_in: Callable[[Role], Client], role: Role) -> None:
    browser = log_in(role)
    is_seen = role is Role.OPERATOR
    assert browser.get(reverse("admin:patterns_rule_changelist")).status_code == (200 if is_seen else 403)
    assert browser.get(reverse("admin:patterns_lexiconentry_changelist")).status_code == 403


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"category": "fabric", "canonical": "wool2", "aliases": "wooltwo\nleather"}, "is a word of “leather” (en)"),
        ({"category": "fabric", "canonical": "wool", "aliases": "wool\nleather"}, "Take it out there first"),
        ({"canonical": "\u202ezamak"}, "invisible character (U+202E)"),
        ({"category": "my irritants"}, "Use Latin letters, digits"),
    ],
)
def test_words_that_would_do_harm_are_refused_in_words(editor: Client, changed: dict[str, str], reason: str) -> None:
    answer = editor.post(reverse("console:new_entry"), make_words(**changed))
    assert reason in " ".join(error for errors in answer.context["form"].errors.values() for error in errors)


def test_what_an_editor_may_not_have_meant_is_said_beside_the_form(editor: Client) -> None:
    words = make_words(category="fabric", aliases="zamak\nmy")
    assert "“my” has other meanings too" in " ".join(check(editor, "entry", words))
    assert "no rule asks for words of a category “irritants”" in " ".join(
        check(editor, "entry", make_words(category="irritants"))
    )
    assert check(editor, "entry", make_words()) == []
    pattern = Rule.objects.get(slug="allergy-en-word").pattern
    assert "the rule allergy-en-word has the same pattern" in " ".join(
        check(editor, "rule", make_fields(pattern=pattern))
    )


def check(browser: Client, kind: str, fields: dict[str, str]) -> list[str]:
    """The hints beside a form."""
    return list(browser.post(reverse(f"console:check_{kind}"), fields).context["advice"])
