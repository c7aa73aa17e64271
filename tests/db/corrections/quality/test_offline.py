"""Misses and repeats over stored data: what counts, runs that go on where they stopped, trends (SPEC Q-3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from corrections.models import QualityRun, QualityTrend
from corrections.quality.exporting import read_quality
from corrections.quality.offline import running
from corrections.quality.offline.misses import count_misses
from corrections.quality.offline.repeats import count_repeats
from corrections.quality.offline.running import RunTaken, go_on, is_sampled, open_run
from corrections.quality.reading import list_language_shares
from corrections.quality.tasks import measure_offline
from memory.models import FactRow
from memory.selectors.users import find_conversation_id
from memory.services.forgets import forget_messages
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.receipts.writing import ReceiptDraft, write_receipt
from tests.cast import Chatter
from tests.db.retrieval.conftest import build_pack

pytestmark = pytest.mark.django_db
NOW = timezone.now()
LONG_AGO, TODAY = NOW - timedelta(days=20), NOW - timedelta(hours=3)
OLGA = "My sister Olga lives in Tbilisi and teaches piano there"
WEEK = {"since": NOW - timedelta(days=7), "until": NOW}


def ask(person: Chatter, text: str, at: datetime, *, hides: bool = True, **more: Any) -> None:
    """The user asks in the conversation `now`, a pack is made; `hides`: it showed nothing of the past."""
    person.say(text, created_at=at, conversation_id="now")
    moment, user = at + timedelta(seconds=1), person.ref
    if not hides:
        build_pack(person, text, now=moment, conversation="now")
        return
    with tenant_scope(person.tenant.id):
        conversation_id = find_conversation_id(user=user, external_id="now")
        draft = ReceiptDraft(user=user, kind="context", question=text, created_at=moment, policy_version="test", **more)
        draft.conversation_id = conversation_id
        write_receipt(draft, waits_for_disk=True)


AGAIN = "Olga lives in Tbilisi and teaches piano, as I told you"


def miss(person: Chatter, *, hides: bool = True, after: str = AGAIN, **more: Any) -> None:
    person.say(OLGA, created_at=LONG_AGO, conversation_id="old")
    person.say("The weather is awful today", created_at=LONG_AGO, conversation_id="old")
    ask(person, "Where should I meet my sister this summer?", TODAY, hides=hides, **more)
    person.hear("Where does she live?", created_at=TODAY + timedelta(minutes=1), conversation_id="now")
    person.say(after, created_at=TODAY + timedelta(minutes=2), conversation_id="now")


def test_what_the_user_then_had_to_say_was_missed_unless_the_pack_showed_it(alice: Chatter, bob: Chatter) -> None:
    miss(alice)
    miss(bob, hides=False)
    assert count_misses(user=alice.ref, **WEEK).by_language == {"en": [1, 1]}
    assert count_misses(user=bob.ref, **WEEK).by_language == {"en": [1, 0]}
    with tenant_scope(alice.tenant.id):
        forget_messages(user=alice.ref, message_ids=[alice.said[0].message_id], actor="user", now=NOW)
    assert count_misses(user=alice.ref, **WEEK).by_language == {"en": [1, 0]}


@pytest.mark.parametrize(
    "after", ["Never mind, let us talk about shoes and belts", "Does Olga teach piano in Tbilisi?"]
)
def test_another_matter_and_a_question_are_no_miss(alice: Chatter, after: str) -> None:
    miss(alice, after=after)
    assert count_misses(user=alice.ref, **WEEK).by_language == {"en": [1, 0]}


def test_what_had_no_room_in_the_pack_is_no_miss_and_an_unknown_question_is_no_exchange(alice: Chatter) -> None:
    miss(alice, budget={"personal": {"allotted": 3, "used": 0}})
    assert count_misses(user=alice.ref, **WEEK).by_language == {"en": [1, 0]}
    with tenant_scope(alice.tenant.id):
        draft = ReceiptDraft(
            user=alice.ref, kind="context", question="?", created_at=NOW - timedelta(days=1), policy_version="test"
        )
        write_receipt(draft, waits_for_disk=True)
    assert count_misses(user=alice.ref, **WEEK).n == 1


def test_a_paused_memory_owes_nothing(alice: Chatter) -> None:
    miss(alice, degraded_reasons=["paused"])
    assert count_misses(user=alice.ref, **WEEK).n == 0


def repeat(person: Chatter, *, packs: int = 2, heard: str = "Noted.", hides: bool = True) -> None:
    """Says something, gets packs that were about it, says it again."""
    person.say(OLGA, created_at=LONG_AGO, conversation_id="old")
    for number in range(packs):
        ask(person, f"What could my sister play, idea {number}", TODAY + timedelta(minutes=3 * number), hides=hides)
    at = TODAY + timedelta(minutes=10)
    person.hear(heard, created_at=at, conversation_id="now")
    person.say("Olga lives in Tbilisi and teaches piano", created_at=at + timedelta(minutes=1), conversation_id="now")


def test_a_repeat_counts_when_two_packs_lacked_it_and_nobody_asked(
    alice: Chatter, bob: Chatter, charlie: Chatter, tenant: TenantRef
) -> None:
    repeat(alice)
    repeat(bob, packs=1)
    repeat(charlie, heard="Where does she live, and what does she do?")
    dora = Chatter(tenant=tenant, name="dora")
    repeat(dora, hides=False)
    found = [count_repeats(user=one.ref, **WEEK) for one in (alice, bob, charlie, dora)]
    assert [(one.n, one.bad) for one in found] == [(3, 1), (2, 0), (3, 0), (3, 0)]


def test_the_same_fact_in_other_words_is_a_repeat_and_a_correction_is_none(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel", created_at=LONG_AGO, conversation_id="old")
    for number in range(2):
        ask(alice, f"Earrings number {number} with nickel, are they good", TODAY + timedelta(minutes=number))
    alice.say("nickel allergy here", created_at=TODAY + timedelta(minutes=5), conversation_id="now")
    with tenant_scope(alice.tenant.id):
        rows = FactRow.objects.filter(user_id=alice.ref.id).values_list("evidence_message_ids", flat=True)
        assert sorted(map(len, rows)) == [2], "the second message is evidence of the same fact"
    assert count_repeats(user=alice.ref, **WEEK).bad == 1


def run(command: str, tenant: TenantRef, **options: Any) -> str:
    out = StringIO()
    slug = Tenant.objects.get(id=tenant.id).slug
    call_command(command, tenant=slug, stdout=out, stderr=out, **options)
    return out.getvalue()


def test_an_interrupted_run_goes_on_with_its_moment_and_its_counts(
    alice: Chatter, bob: Chatter, monkeypatch: pytest.MonkeyPatch
) -> None:
    miss(alice)
    miss(bob, hides=False)
    measured: list[Any] = []
    real = running.MEASURES["retrieval_miss_rate"]

    def stop_at_second(**more: Any) -> Any:
        measured.append((more["user"].id, more["until"]))
        if len(measured) == 2:
            raise KeyboardInterrupt
        return real(**more)

    monkeypatch.setitem(running.MEASURES, "retrieval_miss_rate", stop_at_second)
    with pytest.raises(CommandError, match="goes on from here") as stopped:
        run("retrieval_miss_rate", alice.tenant)
    assert stopped.value.returncode == 130
    said = run("retrieval_miss_rate", alice.tenant, verbosity=2)
    assert "going on after 1 users" in said
    assert "retrieval_miss_rate: 1 of 2 exchanges (50.0%), 2 users" in said
    users, moments = zip(*measured, strict=True)
    assert users[0] != users[1] == users[2] and len(set(moments)) == 1
    with tenant_scope(alice.tenant.id):
        row = QualityTrend.objects.get(indicator="retrieval_miss_rate")
        (share,) = list_language_shares(tenant_id=alice.tenant.id, at=timezone.now())
    assert (row.value, row.n, row.state) == (0.5, 2, "OBSERVE")
    assert row.measured_at == moments[0].replace(minute=0, second=0, microsecond=0)
    assert (share.language, share.bad, share.n, share.as_of) == ("en", 1, 2, moments[0])
    metrics = {metric.name: metric for metric in read_quality()}
    assert metrics["unde_retrieval_miss_rate"].samples[0].value == 0.5
    (sample,) = metrics["unde_offline_quality"].samples
    assert (sample.labels, sample.value) == ({"indicator": "retrieval_miss_rate", "language": "en"}, 0.5)
    assert QualityRun.objects.filter(finished_at=None).count() == 0
    assert "from the beginning" in run("user_repeated_info", alice.tenant)


def test_two_processes_do_not_count_a_user_twice(alice: Chatter, bob: Chatter) -> None:
    alice.say("hello"), bob.say("hello")
    first, second = (
        open_run(tenant_id=alice.tenant.id, indicator="user_repeated_info", share=1.0, now=NOW) for _ in range(2)
    )
    assert first.id == second.id
    one, other = (go_on(each, clock=timezone.now) for each in (first, second))
    next(one)
    with pytest.raises(RunTaken):
        next(other)
    begun = open_run(tenant_id=alice.tenant.id, indicator="user_repeated_info", share=1.0, now=NOW, is_anew=True)
    assert begun.id != first.id
    with pytest.raises(RunTaken):
        next(one)


def test_a_night_measures_a_sample_once_and_zero_is_off(alice: Chatter, bob: Chatter, settings: Any) -> None:
    alice.say("hello"), bob.say("hello")
    settings.UNDE_QUALITY_SAMPLE = 0.0
    assert measure_offline() == 0
    settings.UNDE_QUALITY_SAMPLE = 0.5
    assert (measure_offline(), measure_offline()) == (2, 0)
    with tenant_scope(alice.tenant.id):
        runs = list(QualityRun.objects.all())
    people = (alice, bob)
    assert all(one.users == sum(is_sampled(person.ref.id, one) for person in people) for one in runs)
    assert {one.share for one in runs} == {0.5}


def test_the_table_refuses_a_second_open_run_and_a_user_in_a_finished_one(tenant: TenantRef) -> None:
    open_run(tenant_id=tenant.id, indicator="retrieval_miss_rate", share=1.0, now=NOW)
    insert = (
        "INSERT INTO quality_run (tenant_id, id, indicator, share, began_at, worked_at, after_id, finished_at)"
        " VALUES (%s, uuidv7(), %s, 1, now(), now(), %s, %s)"
    )
    for values, name in (
        (("retrieval_miss_rate", None, None), "a_measure_has_one_open_run"),
        (("user_repeated_info", tenant.id, NOW), "a_finished_run_names_no_user"),
        (("guess", None, None), "a_run_measures_misses_or_repeats"),
    ):
        with (
            pytest.raises(IntegrityError, match=name),
            transaction.atomic(),
            tenant_scope(tenant.id),
            connection.cursor() as cursor,
        ):
            cursor.execute(insert, [tenant.id, *values])


def test_a_bad_share_and_an_unknown_tenant_are_said(tenant: TenantRef) -> None:
    with pytest.raises(CommandError, match="--share"):
        run("user_repeated_info", tenant, share=0.0)
    with pytest.raises(CommandError):
        call_command("user_repeated_info", tenant="nobody")
