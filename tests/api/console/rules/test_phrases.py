"""Phrases of replies in the console; and two people at one rule."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.types import TenantRef
from patterns.models import EntryVersion, LexiconEntry, RejectionCount, Rule
from tests.api.console.rules.conftest import backtest, find_draft, make_fields

pytestmark = pytest.mark.django_db

TURN = "You're allergic to silk, so I left silk out."


def get_shared() -> LexiconEntry:
    return LexiconEntry.objects.get(category="reply.challenge", canonical="unsaid", language="en", tenant_id=None)


def make_phrases(**changed: Any) -> dict[str, Any]:
    words = [*get_shared().aliases, "(thats|) a bolt from the blue"]
    fields = {
        "group": "challenge/unsaid",
        "language": "en",
        "aliases": "\n".join(words),
        "note": "heard",
        "scope": "own",
    }
    return fields | changed


def try_replies(browser: Client, page: str, **fields: Any) -> Any:
    said = {"turn": TURN, "known": "allergy/silk", "messages": "a bolt from the blue\nno thanks"}
    return browser.post(reverse(page), said | fields)


def test_the_reply_bench_says_what_each_reply_does_and_why_not_more(editor: Client) -> None:
    answer = try_replies(editor, "console:reply_bench", messages="I'm not allergic to silk\nno thanks")
    denied, declined = answer.context["replies"]
    assert denied.does == ("deactivate allergy/silk",)
    assert declined.does == ()
    assert ("im not", ("denial, echo",)) in denied.cues
    assert editor.get(reverse("console:reply_bench")).status_code == 200


def test_a_line_that_is_no_fact_is_named(editor: Client) -> None:
    answer = try_replies(editor, "console:reply_bench", known="silk")
    assert "is not a fact: write allergy/silk" in answer.content.decode()


def test_unsaved_phrases_are_tried_beside_those_in_force(editor: Client) -> None:
    answer = try_replies(editor, "console:check_phrases", **make_phrases())
    assert answer.context["problems"] == []
    heard, declined = answer.context["replies"]
    assert (heard.does, heard.was) == (("dispute allergy/silk",), ())
    assert (declined.does, declined.was) == ((), None)


def test_phrases_are_drafted_backtested_and_tried_on_some_users(editor: Client, tenant: TenantRef) -> None:
    page = reverse("console:edit_entry", args=[get_shared().id])
    assert "where did you get that; I never said that" in editor.get(page).content.decode()
    editor.post(page, make_phrases(seen="1"))
    draft = EntryVersion.objects.get(entry__tenant_id=tenant.id)
    trial = reverse("console:try_version", args=["entry", draft.id])
    editor.post(trial, {"percent": "10"})
    draft.refresh_from_db()
    assert draft.state == "draft"
    backtest(editor, draft, tenant)
    editor.post(trial, {"percent": "10"})
    draft.refresh_from_db()
    assert (draft.state, draft.canary_percent) == ("canary", 10)
    own = editor.get(reverse("console:edit_entry", args=[draft.entry_id])).content.decode()
    assert "10 %" in own
    assert "a bolt from the blue" in own


def test_lists_keep_words_and_phrases_apart(editor: Client) -> None:
    phrases = editor.get(reverse("admin:patterns_replyphrases_changelist")).content.decode()
    words = editor.get(reverse("admin:patterns_lexiconentry_changelist") + "?q=challenge").content.decode()
    assert "challenge, unsaid" in phrases
    assert "reply.challenge" not in words


def test_who_keeps_a_draft_sees_what_others_kept_meanwhile(editor: Client, root: Client) -> None:
    editor.post(reverse("console:new_rule"), make_fields())
    rule = Rule.objects.get(slug="allergy-en-balloon")
    page = reverse("console:edit_rule", args=[rule.id])
    mine = make_fields(seen="1", note="mine")
    root.post(page, make_fields(seen="1", note="theirs"))
    late = editor.post(page, mine)
    assert "Version 2 was saved while you had this open" in late.content.decode()
    assert find_draft().note == "theirs"
    editor.post(page, mine | {"seen": "2"})
    assert find_draft().note == "mine"


def test_a_new_rule_never_takes_a_name_over(editor: Client) -> None:
    editor.post(reverse("console:new_rule"), make_fields())
    answer = editor.post(reverse("console:new_rule"), make_fields(note="another"))
    assert "This name exists already" in answer.content.decode()
    assert find_draft().note == "heard in chats"


def test_a_rules_page_shows_why_it_was_turned_down(editor: Client, tenant: TenantRef) -> None:
    rule = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
    page = reverse("console:edit_rule", args=[rule.id])
    assert "No match of this rule was refused" in editor.get(page).content.decode()
    RejectionCount.objects.create(
        tenant_id=tenant.id, rule=rule.slug, reason="question", day=timezone.now().date(), count=7
    )
    shown = editor.get(page)
    assert [(row.code, row.total) for row in shown.context["refusals"]] == [("question", 7)]
    assert "it is a question" in shown.content.decode()
