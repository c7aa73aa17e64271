"""A person who knows a little regex teaches the service a language it does not know, from nothing, by the console's forms."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

import patterns.registry
from memory.tenants.types import Role
from memory.types import TenantRef
from patterns.models import EntryVersion, LexiconEntry, Rule
from patterns.registry import refresh_rule_sets
from patterns.rules.pack import SHIPPED, load_pack
from tests.api.console.conftest import make_staff
from tests.api.console.rules.conftest import find_draft, publish
from tests.caller import Caller
from tests.db.patterns.conftest import own_registry
from tests.packs import bring_in

__all__ = ["own_registry"]

pytestmark = pytest.mark.django_db

SLUG = "allergy-hi-se"
LATIN, DEVANAGARI = "mujhe oon se allergy hai", "मुझे ऊन से एलर्जी है"

WORDS = {
    "category": "fabric",
    "canonical": "wool",
    "language": "other",
    "aliases": "oon\nऊन",
    "forms_": "",
    "note": "Hindi",
    "scope": "own",
}
RULE = {
    "slug": SLUG,
    "knowledge_type": "allergy",
    "language": "other",
    "purpose": "extract",
    "kind": "noun",
    "pattern": "Se allerg(?:y|i) hai|से एलर्जी है",
    "category": "",
    "object_side": "before",
    "positive": f"{LATIN}\n{DEVANAGARI}",
    "negative": "kya aapko oon se allergy hai?\nmujhe garmi se allergy hai\nक्या आपको ऊन से एलर्जी है?",
    "note": "Hindi",
    "scope": "own",
}


@pytest.fixture
def editor(tenant: TenantRef) -> Client:
    browser = Client()
    browser.force_login(make_staff("product", tenant=tenant, role=Role.PATTERN_EDITOR))
    return browser


def let_time_pass() -> None:
    """As if this process had answered nothing for a minute, and had built what it then finds, however busy it is."""
    registry = patterns.registry._registry
    registry._last_poll_at = float("-inf")
    registry.get(None)
    if registry._builder is not None:
        registry._builder.join(60)


def test_a_hindi_wool_allergy_from_nothing_to_a_fact(editor: Client, tenant: TenantRef, api: Caller) -> None:
    bring_in(load_pack(SHIPPED))
    refresh_rule_sets()
    assert api.send(LATIN).json()["facts"] == []

    too_early = editor.post(reverse("console:new_rule"), RULE)
    assert "must match but does not" in too_early.content.decode()

    tried = editor.post(reverse("console:check_entry"), WORDS | {"messages": f"{LATIN}\nallergic to oon"})
    assert [one.reading.value for one in tried.context["typed"][1].found] == ["wool"]
    editor.post(reverse("console:new_entry"), WORDS)
    entry = LexiconEntry.objects.get(language="other", canonical="wool", tenant_id=tenant.id)
    publish(editor, EntryVersion.objects.get(entry=entry), tenant)
    let_time_pass()

    checked = editor.post(reverse("console:check_rule"), RULE | {"messages": "mujhe oon se allergi hai"})
    assert checked.context["problems"] == []
    assert [one.reading.value for one in checked.context["typed"][0].found] == ["wool"]
    assert [sample.found for sample in checked.context["unwanted"]] == [(), (), ()]
    editor.post(reverse("console:new_rule"), RULE)
    publish(editor, find_draft(SLUG), tenant)
    assert Rule.objects.get(slug=SLUG).state == "published"
    let_time_pass()

    for user_id, text in (("asha", LATIN), ("ravi", DEVANAGARI)):
        (fact,) = api.send(text, user_id=user_id).json()["facts"]
        assert (fact["knowledge_type"], fact["knowledge_key"], fact["value"]) == ("allergy", "wool", "wool")
    assert api.send("kya aapko oon se allergy hai?", user_id="third").json()["facts"] == []
