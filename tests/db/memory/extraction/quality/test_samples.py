"""People judge samples: one reviewer at a time, a wrong fact closed at once, every verdict undoable."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from memory.errors import InvalidRequest, NotFound
from memory.extraction.quality.figures import (
    count_results,
    get_costs,
    measure_all,
    measure_slice,
)
from memory.extraction.quality.samples import SampleTaken, record_verdict, undo_verdict
from memory.models import Action, ExtractionRun, FactRow, ReviewSample
from memory.services.fact_inputs import FactInput
from memory.services.facts import put_facts
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import ALLERGIC, WOOL, extract
from tests.scripted_model import ScriptedModel

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_instant_step")]

ANN, BEN = "staff:1", "staff:2"


@pytest.fixture
def sample(alice: Chatter, scripted_model: Callable[..., ScriptedModel]) -> ReviewSample:
    alice.say(ALLERGIC)
    extract(alice, scripted_model({"operations": [WOOL]}), draw=0.0)
    with tenant_scope(alice.tenant.id):
        return ReviewSample.objects.get(user_id=alice.ref.id)


def judge(person: Chatter, sample: ReviewSample, verdict: str, reviewer: str = ANN) -> ReviewSample:
    return record_verdict(
        tenant_id=person.tenant.id, sample_id=sample.id, verdict=verdict, reviewer=reviewer, now=timezone.now()
    )


def test_a_right_fact_stays_and_is_counted(alice: Chatter, sample: ReviewSample) -> None:
    judge(alice, sample, "correct")
    assert alice.list_facts() == {("allergy", "wool"): "wool"}
    with tenant_scope(alice.tenant.id):
        precision = measure_all(tenant_id=alice.tenant.id, since=timezone.now() - timedelta(days=1))
        by_type = measure_slice(tenant_id=alice.tenant.id, slice_name="type", since=timezone.now() - timedelta(days=1))
    assert (precision.judged, precision.right) == (1, 1)
    assert list(by_type) == ["allergy"]


@pytest.mark.parametrize("verdict", ["wrong_subject", "false_fact", "missed_sarcasm"])
def test_a_wrong_fact_is_closed_in_the_reviewers_name_and_undoing_opens_it(
    verdict: str, alice: Chatter, sample: ReviewSample
) -> None:
    judge(alice, sample, verdict)
    assert alice.list_facts() == {}
    with tenant_scope(alice.tenant.id):
        action = Action.objects.get(user_id=alice.ref.id, kind="verdict")
    assert (action.actor, action.detail["verdict"]) == (ANN, verdict)
    undo_verdict(tenant_id=alice.tenant.id, sample_id=sample.id, reviewer=ANN, now=timezone.now())
    assert alice.list_facts() == {("allergy", "wool"): "wool"}
    judge(alice, sample, "correct")


def test_a_fact_that_is_valid_only_after_the_verdict_is_opened_again_too(
    alice: Chatter, scripted_model: Callable[..., ScriptedModel]
) -> None:
    """A clock that runs ahead: what was said an hour from now is closed at its own beginning."""
    alice.say(ALLERGIC, created_at=timezone.now() + timedelta(hours=1))
    extract(alice, scripted_model({"operations": [WOOL]}), draw=0.0)
    with tenant_scope(alice.tenant.id):
        sample = ReviewSample.objects.get(user_id=alice.ref.id)
    judge(alice, sample, "false_fact")
    with tenant_scope(alice.tenant.id):
        closed = FactRow.objects.get(user_id=alice.ref.id, id=sample.fact_id)
    assert (closed.is_active, closed.invalid_at) == (False, closed.valid_at)
    undo_verdict(tenant_id=alice.tenant.id, sample_id=sample.id, reviewer=ANN, now=timezone.now())
    with tenant_scope(alice.tenant.id):
        assert FactRow.objects.get(user_id=alice.ref.id, id=sample.fact_id).is_active


def test_undoing_leaves_a_fact_closed_that_was_stated_again(alice: Chatter, sample: ReviewSample) -> None:
    judge(alice, sample, "false_fact")
    wool, now = FactInput("allergy", "wool", "explicit"), timezone.now()
    put_facts(tenant=alice.tenant, user_external_id=alice.name, facts=[wool], actor="key:k", now=now)
    undo_verdict(tenant_id=alice.tenant.id, sample_id=sample.id, reviewer=ANN, now=timezone.now())
    with tenant_scope(alice.tenant.id):
        row = FactRow.objects.get(user_id=alice.ref.id, id=sample.fact_id)
    assert (row.is_active, alice.list_facts()) == (False, {("allergy", "wool"): "wool"})


def test_one_does_not_undo_what_another_judged_nor_judge_twice(alice: Chatter, sample: ReviewSample) -> None:
    judge(alice, sample, "false_fact")
    with pytest.raises(SampleTaken):
        judge(alice, sample, "correct")
    with pytest.raises(SampleTaken):
        undo_verdict(tenant_id=alice.tenant.id, sample_id=sample.id, reviewer=BEN, now=timezone.now())


def test_unknown_verdicts_and_samples_of_others_are_refused(
    alice: Chatter, other_tenant: Any, sample: ReviewSample
) -> None:
    with pytest.raises(InvalidRequest):
        judge(alice, sample, "nice")
    with pytest.raises(NotFound):
        record_verdict(
            tenant_id=other_tenant.id, sample_id=sample.id, verdict="correct", reviewer=ANN, now=timezone.now()
        )


def test_the_database_refuses_a_verdict_that_nobody_gave(alice: Chatter, sample: ReviewSample) -> None:
    with (
        tenant_scope(alice.tenant.id),
        pytest.raises(IntegrityError, match="a_verdict_says_who_and_when"),
        transaction.atomic(),
    ):
        ReviewSample.objects.filter(user_id=alice.ref.id).update(verdict="correct")


def test_costs_are_told_by_run_and_by_fact(alice: Chatter, sample: ReviewSample) -> None:
    now = timezone.now()
    with tenant_scope(alice.tenant.id):
        costs = get_costs(tenant_id=alice.tenant.id, since=now - timedelta(days=1), until=now + timedelta(days=1))
    assert (costs.runs, costs.failed, costs.proposed, costs.applied) == (1, 0, 1, 1)
    assert costs.tokens_per_fact == 1050
    assert costs.rejection_rate == 0


def test_what_was_known_already_is_not_counted_as_refused(alice: Chatter, sample: ReviewSample) -> None:
    now = timezone.now()
    results = {"accepted": 1, "already_known": 7, "rejected_question": 3, "rejected_malformed": 1, "item_added": 2}
    with tenant_scope(alice.tenant.id):
        ExtractionRun.objects.filter(user_id=alice.ref.id).update(results=results, proposed=14)
        costs = get_costs(tenant_id=alice.tenant.id, since=now - timedelta(days=1), until=now + timedelta(days=1))
        bars = count_results(tenant_id=alice.tenant.id, since=now - timedelta(days=1), until=now + timedelta(days=1))
    assert (costs.refused, costs.rejection_rate) == (4, 4 / 14)
    assert costs.refused == sum(count for code, count in bars.items() if code.startswith("rejected"))
