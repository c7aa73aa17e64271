"""Backtests over a tenant's own messages: counted, stopped, gone on with, and never a copy of what somebody said."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.utils import timezone

from corrections.backtests.running import cancel_backtest, request_backtest, resume_backtest, run_backtest
from corrections.backtests.selectors import (
    find_backtest,
    has_finished_backtest,
    list_recent_texts,
    list_sample_texts,
    list_samples,
)
from corrections.models import Backtest, BacktestSample
from memory.services.fact_inputs import FactInput
from memory.services.forgets import forget_messages
from memory.tenants.scope import tenant_scope
from patterns.models import RuleVersion
from patterns.services.publishing import save_rule_draft
from tests.api.console.conftest import state_facts
from tests.cast import Chatter, get_ids
from tests.db.memory.erasure.helpers import ask, carry_out
from tests.db.patterns.conftest import load_small, make_balloon_rule, own_registry
from tests.packs import bring_in

__all__ = ["own_registry"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(alice: Chatter) -> RuleVersion:
    bring_in(load_small())
    return save_rule_draft(make_balloon_rule(), tenant_id=alice.tenant.id, changed_by="staff:1")


@pytest.fixture
def chats(alice: Chatter, bob: Chatter) -> Chatter:
    alice.say("i balloon up from nickel")
    alice.hear("I see, you balloon up from nickel.")
    alice.say("what do you have in blue?")
    bob.say("i balloon up from wool")
    return alice


def start(person: Chatter, version: RuleVersion, *, wanted: int = 100) -> Backtest:
    return request_backtest(
        tenant_id=person.tenant.id,
        version=version,
        messages_per_language=wanted,
        requested_by="staff:1",
        now=timezone.now(),
    )


def run(person: Chatter, row: Backtest) -> Backtest:
    run_backtest(tenant_id=person.tenant.id, backtest_id=row.id, clock=timezone.now)
    return look_at(person, row)


def look_at(person: Chatter, row: Backtest) -> Backtest:
    with tenant_scope(person.tenant.id):
        found = find_backtest(tenant_id=person.tenant.id, backtest_id=row.id)
    assert found is not None
    return found


def total(row: Backtest, name: str) -> int:
    return sum(counts.get(name, 0) for counts in row.counts.values())


def test_what_users_said_is_read_and_what_would_be_added_is_counted(chats: Chatter, version: RuleVersion) -> None:
    row = run(chats, start(chats, version))
    assert (row.state, total(row, "read"), total(row, "added"), total(row, "lost")) == ("done", 3, 2, 0)
    with tenant_scope(chats.tenant.id):
        assert has_finished_backtest(tenant_id=chats.tenant.id, version_id=version.id)
        assert {sample.change for sample in list_samples(backtest_id=row.id)} == {"added"}


def test_a_value_that_would_take_anothers_place_is_told_apart(alice: Chatter, bob: Chatter) -> None:
    bring_in(load_small())
    rule = make_balloon_rule(
        slug="size-en-dress",
        knowledge_type="body_params",
        kind="own",
        pattern="i always dress in size",
        positive=("i always dress in size S", "i always dress in size L"),
        negative=("i always dress in black", "what size is it?"),
    )
    for person in (alice, bob):
        person.say("i always dress in size S")
    state_facts(alice, FactInput("body_params", "M", "onboarding"))
    version = save_rule_draft(rule, tenant_id=alice.tenant.id, changed_by="staff:1")
    row = run(alice, start(alice, version))
    assert (total(row, "superseded"), total(row, "added")) == (1, 1)


def test_only_so_many_of_each_language_are_read(chats: Chatter, version: RuleVersion) -> None:
    row = run(chats, start(chats, version, wanted=1))
    assert {counts["read"] for counts in row.counts.values()} == {1}


def test_a_cancelled_backtest_stops_and_goes_on_from_where_it_was(
    chats: Chatter, version: RuleVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "BACKTEST_PAGE", 1)
    row = start(chats, version)
    pages = 0

    def clock():
        nonlocal pages
        pages += 1
        if pages == 3:
            cancel_backtest(tenant_id=chats.tenant.id, backtest_id=row.id, actor="staff:1", now=timezone.now())
        return timezone.now()

    assert run_backtest(tenant_id=chats.tenant.id, backtest_id=row.id, clock=clock) == "cancelled"
    stopped = look_at(chats, row)
    assert (stopped.state, stopped.scanned) == ("cancelled", 1)
    with tenant_scope(chats.tenant.id):
        assert not has_finished_backtest(tenant_id=chats.tenant.id, version_id=version.id)
    resume_backtest(tenant_id=chats.tenant.id, backtest_id=row.id, actor="staff:1", now=timezone.now())
    done = run(chats, row)
    assert (done.state, total(done, "read"), total(done, "added")) == ("done", 3, 2)


def test_a_backtest_sent_twice_counts_once(chats: Chatter, version: RuleVersion) -> None:
    row = run(chats, start(chats, version))
    assert run_backtest(tenant_id=chats.tenant.id, backtest_id=row.id, clock=timezone.now) == "gone"
    assert total(look_at(chats, row), "added") == 2


def test_a_backtest_whose_draft_no_longer_compiles_fails_with_a_code(chats: Chatter, version: RuleVersion) -> None:
    row = start(chats, version)
    version.content["pattern"] = "("
    version.save()
    assert run(chats, row).state == "failed"
    assert look_at(chats, row).error_code == "rule_refused"


def test_samples_hold_places_and_no_words(chats: Chatter, version: RuleVersion) -> None:
    run(chats, start(chats, version))
    with tenant_scope(chats.tenant.id):
        for values in BacktestSample.objects.values():
            assert "nickel" not in str(values)
            assert "wool" not in str(values)


def test_a_forgotten_message_is_not_shown_as_a_sample(chats: Chatter, version: RuleVersion) -> None:
    row = run(chats, start(chats, version))
    with tenant_scope(chats.tenant.id):
        samples = list_samples(backtest_id=row.id)
        assert len(list_sample_texts(samples)) == 2
    forget_messages(user=chats.ref, message_ids=get_ids(chats.said)[:1], actor="key:test", now=timezone.now())
    with tenant_scope(chats.tenant.id):
        assert "i balloon up from nickel" not in list_sample_texts(samples).values()
        assert "i balloon up from nickel" not in list_recent_texts(tenant_id=chats.tenant.id, limit=10)


def test_an_erased_users_samples_are_gone(chats: Chatter, version: RuleVersion, bob: Chatter) -> None:
    row = run(chats, start(chats, version))
    user_id = chats.ref.id
    assert carry_out(chats, ask(chats)).status == "completed"
    with tenant_scope(chats.tenant.id):
        left = list_samples(backtest_id=row.id)
    assert [sample.user_id for sample in left] == [bob.ref.id]
    assert user_id != bob.ref.id


def test_another_tenants_messages_are_not_read(chats: Chatter, version: RuleVersion, other_tenant) -> None:
    stranger = Chatter(other_tenant, "stranger")
    stranger.say("i balloon up from latex")
    assert total(run(chats, start(chats, version)), "added") == 2
