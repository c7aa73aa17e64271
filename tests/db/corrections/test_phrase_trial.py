"""A phrase on trial corrects the memory of the users that try it, and a backtest says beforehand what it would do."""

from __future__ import annotations

import pytest
from django.utils import timezone

from corrections.backtests.running import request_backtest, run_backtest
from corrections.backtests.selectors import list_sample_texts, list_samples
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from patterns.matching.lexicon import Entry
from patterns.models import EntryVersion, LexiconEntry
from patterns.registry import refresh_rule_sets
from patterns.rules.pack import SHIPPED, load_pack
from patterns.services.publishing import save_entry_draft, start_canary
from tests.cast import Chatter, find_by_bucket
from tests.db.patterns.conftest import own_registry
from tests.packs import bring_in

__all__ = ["own_registry"]

pytestmark = pytest.mark.django_db

GROUP = ("reply.challenge", "unsaid", "en")
REPLY = "that is a bolt from the blue"


@pytest.fixture
def version(db: None) -> EntryVersion:
    """Drafted for all tenants, beside the shipped pack as rows."""
    bring_in(load_pack(SHIPPED))
    row = LexiconEntry.objects.get(category=GROUP[0], canonical=GROUP[1], language=GROUP[2])
    words = (*row.aliases, "(thats|that is|) a bolt from the blue")
    return save_entry_draft(Entry(*GROUP, words), is_active=True, tenant_id=None, changed_by="staff:1")


def dispute(person: Chatter) -> list[str]:
    person.say("I'm allergic to silk")
    person.hear("You are allergic to silk, so I left it out")
    return [outcome.action for outcome in person.say(REPLY).corrections]


def test_only_the_users_of_the_trial_are_corrected_by_it(version: EntryVersion, tenant: TenantRef) -> None:
    tried, other = find_by_bucket(tenant, slug="/".join(GROUP), percent=50)
    start_canary(version, percent=50)
    refresh_rule_sets()
    assert dispute(tried) == ["disputed"]
    assert dispute(other) == []


def test_a_backtest_of_phrases_counts_what_messages_would_correct(version: EntryVersion, alice: Chatter) -> None:
    assert dispute(alice) == []
    alice.say("hello there")
    row = request_backtest(
        tenant_id=alice.tenant.id,
        version=version,
        messages_per_language=100,
        requested_by="staff:1",
        now=timezone.now(),
    )
    assert run_backtest(tenant_id=alice.tenant.id, backtest_id=row.id, clock=timezone.now) == "done"
    with tenant_scope(alice.tenant.id):
        row.refresh_from_db()
        (sample,) = list_samples(backtest_id=row.id)
        text = list_sample_texts([sample])[sample.message_id]
    assert sum(counts.get("added", 0) for counts in row.counts.values()) == 1
    assert (sample.change, sample.knowledge_type) == ("added", "allergy")
    assert text[sample.first_character : sample.last_character] == "that is a bolt from the blue"
