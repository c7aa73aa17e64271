"""When a user is due, as the worker's role sees it: triggers, pauses between runs, dead workers, switches."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import ProgrammingError
from django.utils import timezone

from memory.extraction.quality.switches import SYSTEM, block_until, switch_extraction
from memory.extraction.runs.running import run_extraction
from memory.extraction.tasks import expire_candidates, extract_pending
from memory.extraction.types import Claim
from memory.extraction.unproven.candidates import list_open_candidates
from memory.extraction.work_list import claim_extractions, count_pending
from memory.models import ExtractionRun, FactCandidate
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import ALLERGIC, WOOL, extract
from tests.scripted_model import ScriptedModel, Turn, propose

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_instant_step")]

MakeModel = Callable[..., ScriptedModel]


@pytest.fixture
def as_worker(as_role: Callable[[str], None]) -> Callable[[], None]:
    """From then on the test's own connection is the worker's."""
    return lambda: as_role("worker")


def talk(person: Chatter, *, count: int = 1, ago: timedelta = timedelta()) -> datetime:
    """Say something `ago`, a second between messages; the time of the last one."""
    now = timezone.now() - ago
    for number in range(count):
        person.say(f"{ALLERGIC} {number}", created_at=now + timedelta(seconds=number), now=now)
    return now


def claim_due(now: datetime | None = None, *, limit: int = 10) -> list[Claim]:
    return claim_extractions(now=now or timezone.now(), limit=limit)


def test_a_closed_session_is_due_and_a_fresh_one_is_not(
    alice: Chatter, bob: Chatter, as_worker: Callable[[], None]
) -> None:
    talk(alice, ago=timedelta(minutes=31))
    talk(bob, ago=timedelta(minutes=5))
    owner = alice.ref.id
    as_worker()
    assert [(one.user.id, one.trigger) for one in claim_due()] == [(owner, "session_closed")]
    assert count_pending() == 2


def test_fifteen_pending_messages_are_due_at_once_and_fourteen_are_not(
    alice: Chatter, bob: Chatter, as_worker: Callable[[], None]
) -> None:
    talk(alice, count=15)
    talk(bob, count=14)
    owner = alice.ref.id
    as_worker()
    assert [(one.user.id, one.trigger) for one in claim_due()] == [(owner, "pending_count")]


def test_what_waits_for_two_hours_is_due_though_the_talk_goes_on(alice: Chatter, as_worker: Callable[[], None]) -> None:
    now = talk(alice, ago=timedelta(hours=2, minutes=1))
    alice.say("still here", created_at=timezone.now(), now=timezone.now())
    as_worker()
    assert [one.trigger for one in claim_due()] == ["interval"]
    assert now < timezone.now()


def test_a_user_is_claimed_once_and_not_again_within_the_hour(
    alice: Chatter, as_worker: Callable[[], None], scripted_model: MakeModel
) -> None:
    talk(alice, ago=timedelta(hours=1))
    as_worker()
    (first,) = claim_due()
    assert claim_due() == []
    assert run_extraction(first, client=scripted_model().make_client()).status == "done"
    talk(alice, count=15)
    assert claim_due() == []
    assert len(claim_due(timezone.now() + timedelta(minutes=61))) == 1


def test_a_dead_workers_user_comes_back_when_the_lease_is_over(
    alice: Chatter, as_worker: Callable[[], None], scripted_model: MakeModel
) -> None:
    talk(alice, ago=timedelta(hours=1))
    as_worker()
    (first,) = claim_due()
    later = timezone.now() + timedelta(minutes=16)
    (second,) = claim_due(later)
    assert second.user.id == first.user.id
    model = scripted_model({"operations": [WOOL]})
    assert run_extraction(first, client=model.make_client()).status == "lost"
    assert run_extraction(second, client=model.make_client()).applied == 1
    with tenant_scope(alice.tenant.id):
        assert sorted(ExtractionRun.objects.values_list("status", flat=True)) == ["done", "lost"]


@pytest.mark.parametrize("mode", ["paused", "off"])
def test_a_tenant_that_is_switched_off_is_passed_over_and_others_go_on(
    mode: str, alice: Chatter, other_tenant: Any, as_worker: Callable[[], None]
) -> None:
    carol = Chatter(other_tenant, "carol")
    talk(alice, ago=timedelta(hours=1))
    talk(carol, ago=timedelta(hours=1))
    other = carol.ref.id
    switch_extraction(tenant_id=alice.tenant.id, mode=mode, reason="test", actor=SYSTEM, now=timezone.now())
    as_worker()
    assert [one.user.id for one in claim_due()] == [other]


def test_a_tenant_without_tokens_waits_for_its_day(alice: Chatter, as_worker: Callable[[], None]) -> None:
    talk(alice, ago=timedelta(hours=1))
    block_until(tenant_id=alice.tenant.id, until=timezone.now() + timedelta(hours=2))
    as_worker()
    assert claim_due() == []
    assert len(claim_due(timezone.now() + timedelta(hours=3))) == 1


def test_a_tenant_that_wants_no_model_has_none(alice: Chatter, as_worker: Callable[[], None]) -> None:
    talk(alice, ago=timedelta(hours=1))
    Tenant.objects.filter(id=alice.tenant.id).update(settings={"is_extraction_on": False})
    as_worker()
    assert claim_due() == []


def test_a_backlog_is_read_on_without_waiting_an_hour(
    alice: Chatter, as_worker: Callable[[], None], scripted_model: MakeModel
) -> None:
    talk(alice, count=120, ago=timedelta(hours=1))
    as_worker()
    model = scripted_model()
    portions = 0
    while claims := claim_due():
        assert run_extraction(claims[0], client=model.make_client()).status == "done"
        portions += 1
    assert (portions, count_pending()) == (2, 0)


def test_the_web_role_claims_nothing(alice: Chatter) -> None:
    with pytest.raises(ProgrammingError):
        claim_due()


def test_the_task_reads_everybody_who_is_due(
    alice: Chatter, bob: Chatter, as_worker: Callable[[], None], scripted_model: MakeModel, settings: Any
) -> None:
    talk(alice, ago=timedelta(hours=1))
    talk(bob, ago=timedelta(hours=1))
    model = scripted_model({"operations": [WOOL]})
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = model.url, "scripted"
    as_worker()
    assert extract_pending() == 2
    assert alice.list_facts() == bob.list_facts() == {("allergy", "wool"): "wool"}


def test_the_task_stops_at_an_endpoint_that_is_down(
    alice: Chatter, bob: Chatter, as_worker: Callable[[], None], scripted_model: MakeModel, settings: Any
) -> None:
    talk(alice, ago=timedelta(hours=1))
    talk(bob, ago=timedelta(hours=1))
    model = scripted_model(Turn(status=401))
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = model.url, "scripted"
    as_worker()
    assert extract_pending() == 0
    assert len(model.requests) == 1


def test_without_an_endpoint_the_task_claims_nothing(alice: Chatter, as_worker: Callable[[], None]) -> None:
    talk(alice, ago=timedelta(hours=1))
    as_worker()
    assert extract_pending() == 0
    assert len(claim_due()) == 1


def test_a_candidate_expires_when_no_second_evidence_comes(
    alice: Chatter, as_worker: Callable[[], None], scripted_model: MakeModel
) -> None:
    alice.say("I love Zara")
    zara = propose(knowledge_type="brand_preference", knowledge_key="zara", value="zara")
    extract(alice, scripted_model({"operations": [zara]}))
    assert len(alice.read(list_open_candidates)) == 1
    with tenant_scope(alice.tenant.id):
        FactCandidate.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    as_worker()
    assert expire_candidates() == 1
    assert alice.read(list_open_candidates) == []
