"""The queue in the database: samples drawn once, rows that go with their messages, locks that pass by."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from corrections.models import ReviewItem, ReviewVerdict
from corrections.review.queue import count_queue, fetch_next_item
from corrections.review.sampling import sample_recent
from corrections.review.types import Judgement
from corrections.review.verdicts import VerdictFollowed, record_verdict, undo_verdict
from memory.models import User
from memory.registries import erasers
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import ErasureScope, TenantRef
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def draw(person: Chatter) -> int:
    now = timezone.now()
    return sample_recent(tenant_id=person.tenant.id, source="instant", count=10, since=now - timedelta(days=1), now=now)


def judge(person: Chatter, *, reviewer: str, verdict: str = "correct") -> ReviewVerdict:
    now = timezone.now()
    item = fetch_next_item(tenant_id=person.tenant.id, reviewer=reviewer, now=now)
    assert item is not None
    judgement = Judgement(item_id=item.id, verdict=verdict, token=uuid4(), milliseconds=5)
    return record_verdict(tenant_id=person.tenant.id, reviewer=reviewer, judgement=judgement, now=now).verdict


def test_a_fact_is_drawn_once(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    assert (draw(alice), draw(alice)) == (1, 0)


def test_items_and_verdicts_go_with_their_user(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice)
    judge(alice, reviewer="staff:1")
    scope = ErasureScope(user=alice.ref, erasure_id=uuid4(), is_whole=True)
    eraser = next(one for one in erasers if one.name == "review_items")
    with tenant_scope(alice.tenant.id):
        assert eraser.count_left(scope) == 1
        eraser.erase_batch(scope, limit=10)
        assert eraser.count_left(scope) == 0
        assert not ReviewVerdict.objects.filter(user_id=alice.ref.id).exists()


def test_a_users_items_are_hidden_behind_their_fence(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice)
    now = timezone.now()
    with tenant_scope(alice.tenant.id):
        User.objects.filter(id=alice.ref.id).update(fenced_at=now)
    assert fetch_next_item(tenant_id=alice.tenant.id, reviewer="staff:1", now=now) is None
    assert count_queue(tenant_id=alice.tenant.id, reviewer="staff:1", since=now).waiting == 0


def test_a_verdict_that_others_followed_stays(alice: Chatter) -> None:
    Tenant.objects.filter(id=alice.tenant.id).update(settings={"reviewers_per_item": 2})
    alice.say("I'm allergic to nickel")
    draw(alice)
    first = judge(alice, reviewer="staff:1")
    judge(alice, reviewer="staff:2")
    with pytest.raises(VerdictFollowed):
        undo_verdict(tenant_id=alice.tenant.id, reviewer="staff:1", verdict_id=first.id, now=timezone.now())


def test_an_undone_verdict_does_not_open_a_key_that_has_moved_on(alice: Chatter) -> None:
    alice.say("My size is M")
    draw(alice)
    verdict = judge(alice, reviewer="staff:1", verdict="false_fact")
    assert alice.list_facts() == {}
    alice.say("My size is L", created_at=timezone.now() + timedelta(seconds=5))
    undo_verdict(tenant_id=alice.tenant.id, reviewer="staff:1", verdict_id=verdict.id, now=timezone.now())
    assert alice.list_facts() == {("body_params", "size"): "L"}


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"state": "decided"}, "a_decided_item_says_what_and_when"),
        ({"source": "gossip"}, "an_item_comes_from_a_known_source"),
        ({"fact_id": None}, "an_item_names_what_is_judged"),
        ({"reviewers_wanted": 6}, "an_item_is_for_one_to_five_reviewers"),
        ({"source": "message"}, "an_item_names_what_is_judged"),
        (
            {"state": "decided", "verdict": "missed_fact", "decided_at": timezone.now()},
            "only_a_message_can_hold_a_missed_fact",
        ),
    ],
)
def test_the_database_refuses_items_that_make_no_sense(
    alice: Chatter, changes: dict[str, object], constraint: str
) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice)
    with tenant_scope(alice.tenant.id), pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        ReviewItem.objects.filter(user_id=alice.ref.id).update(**changes)


@pytest.mark.django_db(transaction=True)
def test_the_web_role_may_do_all_that_a_reviewer_does(
    alice: Chatter, other_tenant: TenantRef, as_role: Callable[[str], None]
) -> None:
    alice.say("I'm allergic to nickel")
    as_role("app")
    assert draw(alice) == 1
    verdict = judge(alice, reviewer="staff:1", verdict="wrong_subject")
    undo_verdict(tenant_id=alice.tenant.id, reviewer="staff:1", verdict_id=verdict.id, now=timezone.now())
    assert fetch_next_item(tenant_id=other_tenant.id, reviewer="staff:2", now=timezone.now()) is None
    item = fetch_next_item(tenant_id=alice.tenant.id, reviewer="staff:1", now=timezone.now())
    assert item is not None
    assert item.id == verdict.item_id
