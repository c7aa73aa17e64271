"""The figures switch extraction by themselves, and only when there are enough of them (X-4, D-26)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from memory.errors import InvalidRequest
from memory.extraction.quality.figures import list_quarantines
from memory.extraction.quality.switches import (
    SYSTEM,
    TenantState,
    get_state,
    lift_quarantine,
    list_quarantined,
    set_sample_share,
    switch_extraction,
)
from memory.extraction.quality.watch import get_harm_reader, watch_tenant
from memory.ids import new_id
from memory.models import ReviewSample
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def no_harm(**_: Any) -> tuple[int, int]:
    return 0, 0


def watch(person: Chatter, harm: Callable[..., tuple[int, int]] = no_harm) -> list[str]:
    return watch_tenant(tenant_id=person.tenant.id, now=timezone.now(), read_harm=harm)


def look(person: Chatter) -> TenantState:
    return get_state(tenant_id=person.tenant.id, default_share=settings.UNDE_TUNING.REVIEW_SHARE)


def judge_many(person: Chatter, *, right: int, wrong: int, judged_at: datetime | None = None, **fields: Any) -> None:
    """Samples with verdicts, as reviewers leave them."""
    person.say("hello")
    moment = judged_at or timezone.now()
    made = {"knowledge_type": "allergy", "language": "en", **fields}
    rows = [
        ReviewSample(
            id=new_id(),
            tenant_id=person.tenant.id,
            user_id=person.ref.id,
            run_id=new_id(),
            fact_id=new_id(),
            operation="ADD",
            model="scripted-1",
            prompt_version="v1",
            evidence_message_ids=[new_id()],
            verdict="correct" if number < right else "false_fact",
            judged_by="staff:1",
            judged_at=moment,
            created_at=moment,
            **made,
        )
        for number in range(right + wrong)
    ]
    with tenant_scope(person.tenant.id):
        ReviewSample.objects.bulk_create(rows)


def test_twenty_nine_verdicts_alarm_nobody(alice: Chatter) -> None:
    judge_many(alice, right=9, wrong=20)
    assert watch(alice) == []
    assert look(alice).mode == "on"


def test_more_than_five_percent_wrong_pauses_and_says_so(alice: Chatter) -> None:
    judge_many(alice, right=37, wrong=3)
    done = watch(alice)
    assert "paused" in done
    state = look(alice)
    assert (state.mode, state.reason, state.actor) == ("paused", "review_error_rate", "system:extraction")
    with tenant_scope(alice.tenant.id):
        assert AuditEvent.objects.filter(tenant_id=alice.tenant.id, action="extraction.paused").count() == 1
    assert "paused" not in watch(alice)


def test_five_percent_exactly_goes_on(alice: Chatter) -> None:
    judge_many(alice, right=38, wrong=2)
    assert "paused" not in watch(alice)


def test_who_switches_it_on_again_is_not_overruled_by_the_same_verdicts(alice: Chatter) -> None:
    judge_many(alice, right=37, wrong=3)
    watch(alice)
    now = timezone.now()
    switch_extraction(tenant_id=alice.tenant.id, mode="on", reason="prompt_changed", actor=SYSTEM, now=now)
    assert "paused" not in watch(alice)


@pytest.mark.parametrize(
    ("made", "taken_back", "mode"), [(99, 50, "on"), (100, 3, "on"), (100, 4, "off"), (1000, 31, "off")]
)
def test_facts_that_users_take_back_turn_it_off(made: int, taken_back: int, mode: str, alice: Chatter) -> None:
    asked: list[dict[str, Any]] = []

    def harm(**arguments: Any) -> tuple[int, int]:
        asked.append(arguments)
        return made, taken_back

    watch(alice, harm)
    assert look(alice).mode == mode
    assert asked[0]["until"] - asked[0]["since"] == timedelta(days=7)


def test_the_reader_that_settings_name_answers_for_a_tenant(alice: Chatter) -> None:
    now = timezone.now()
    with tenant_scope(alice.tenant.id):
        assert get_harm_reader()(tenant_id=alice.tenant.id, since=now - timedelta(days=7), until=now) == (0, 0)


def test_a_slice_with_a_low_bound_is_held_back_alone_and_can_be_let_go(alice: Chatter) -> None:
    judge_many(alice, right=27, wrong=3, knowledge_type="hard_ban", language="ar")
    judge_many(alice, right=200, wrong=0)
    done = watch(alice)
    assert sorted(done) == ["quarantined_language", "quarantined_type"]
    assert list_quarantined(tenant_id=alice.tenant.id) == {("type", "hard_ban"), ("language", "ar")}
    assert look(alice).mode == "on"
    with tenant_scope(alice.tenant.id):
        held = list_quarantines(tenant_id=alice.tenant.id)
    for row in held:
        assert lift_quarantine(tenant_id=alice.tenant.id, quarantine_id=row.id, actor=SYSTEM, now=timezone.now())
    assert watch(alice) == []
    assert list_quarantined(tenant_id=alice.tenant.id) == frozenset()


def test_two_good_weeks_lower_the_share_and_wrong_ones_raise_it(alice: Chatter) -> None:
    now = timezone.now()
    judge_many(alice, right=1, wrong=0, judged_at=now - timedelta(days=15))
    judge_many(alice, right=120, wrong=1)
    assert watch(alice) == ["sampled_less"]
    assert look(alice).sample_share == 0.001
    assert watch(alice) == []
    judge_many(alice, right=0, wrong=5)
    assert "sampled_more" in watch(alice)
    assert look(alice).sample_share == 0.01


def test_a_hundred_good_verdicts_of_one_day_prove_nothing_yet(alice: Chatter) -> None:
    judge_many(alice, right=150, wrong=0)
    assert watch(alice) == []


def test_an_unknown_mode_is_refused_and_another_tenant_keeps_its_own(alice: Chatter, other_tenant: Any) -> None:
    with pytest.raises(InvalidRequest):
        switch_extraction(tenant_id=alice.tenant.id, mode="maybe", reason="x", actor=SYSTEM, now=timezone.now())
    set_sample_share(tenant_id=alice.tenant.id, share=1.0)
    assert get_state(tenant_id=other_tenant.id, default_share=0.01).sample_share == 0.01
