"""Facts of a rule that was taken back: counted, closed, opened again; messages read anew by the rules in force."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

import memory.withdrawals.running as running
from memory.errors import NotFound
from memory.facts.reading import list_active_facts
from memory.models import Action, FactJob
from memory.rebuild.running import compare_user
from memory.tenants.scope import tenant_scope
from memory.withdrawals.jobs import (
    PreviewFirst,
    WorkGoesOn,
    cancel_job,
    request_closing,
    request_preview,
    request_reading,
    request_reopening,
    resume_job,
)
from memory.withdrawals.running import claim_job, run_job
from memory.withdrawals.selectors import count_resting_facts, find_job
from patterns.models import Rule
from patterns.registry import refresh_rule_sets
from patterns.services.history import quarantine_rule, restore_rule_version
from patterns.services.publishing import publish_rule_version, save_rule_draft
from tests.cast import Chatter
from tests.db.patterns.conftest import load_small, make_balloon_rule, own_registry
from tests.packs import bring_in

__all__ = ["own_registry"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("balloons")]

SLUG = "allergy-en-balloon"
STAFF = "staff:1"


@pytest.fixture
def balloons(own_registry: Any, alice: Chatter, bob: Chatter) -> None:
    """A rule that is wrong: what it reads of Alice and Bob is in force."""

    bring_in(load_small())
    publish(alice, pattern="i (?:really )?balloon up from")
    alice.say("i balloon up from nickel")
    alice.say("i really balloon up from wool")
    alice.say("i'm allergic to silk")
    bob.say("i balloon up from latex")


def publish(person: Chatter, **changes: Any) -> Rule:
    draft = save_rule_draft(make_balloon_rule(**changes), tenant_id=person.tenant.id, changed_by=STAFF)
    row = publish_rule_version(draft)
    refresh_rule_sets()
    return row


def list_known(person: Chatter) -> dict[str, Any]:
    with tenant_scope(person.tenant.id):
        return {fact.knowledge_key: fact.rule_version for fact in list_active_facts(user=person.ref)}


def count(person: Chatter, versions: list[int] | None = None) -> tuple[int, int]:
    with tenant_scope(person.tenant.id):
        return count_resting_facts(tenant_id=person.tenant.id, rule=SLUG, versions=versions)


def run(job: FactJob, **more: Any) -> FactJob:
    """Do the worker's part."""
    claim_job(tenant_id=job.tenant_id, job_id=job.id, now=timezone.now())
    run_job(tenant_id=job.tenant_id, job_id=job.id, clock=timezone.now, **more)
    return get(job)


def get(job: FactJob) -> FactJob:
    with tenant_scope(job.tenant_id):
        found = find_job(tenant_id=job.tenant_id, job_id=job.id)
    assert found is not None
    return found


def close(person: Chatter, versions: tuple[int, ...] = (1,)) -> FactJob:
    return request_closing(
        tenant_id=person.tenant.id, rule=SLUG, versions=versions, requested_by=STAFF, now=timezone.now()
    )


def preview(person: Chatter, *, has_all_users: bool = False) -> FactJob:
    return request_preview(
        tenant_id=person.tenant.id,
        rule=SLUG,
        has_all_users=has_all_users,
        requested_by=STAFF,
        now=timezone.now(),
    )


def reread(person: Chatter, shown: FactJob) -> FactJob:
    changed_at = Rule.objects.get(slug=SLUG).changed_at
    return request_reading(
        tenant_id=person.tenant.id,
        preview_id=shown.id,
        changed_at=changed_at,
        requested_by=STAFF,
        now=timezone.now(),
    )


def list_differences(person: Chatter) -> list[Any]:
    return list(compare_user(tenant=person.tenant, user=person.ref).differences)


class TestClosing:
    def test_facts_are_counted_by_the_versions_that_made_them(self, alice: Chatter) -> None:
        assert (count(alice), count(alice, [1]), count(alice, [2])) == ((3, 2), (3, 2), (0, 0))

    def test_closing_closes_what_the_versions_taught_and_nothing_else(self, alice: Chatter, bob: Chatter) -> None:
        job = run(close(alice))
        assert (job.state, job.users_total, job.users_done, job.counts) == ("done", 2, 2, {"closed": 3})
        assert (set(list_known(alice)), list_known(bob), count(alice)) == ({"silk"}, {}, (0, 0))

    def test_each_closing_is_an_action_and_a_rebuild_agrees(self, alice: Chatter) -> None:
        run(close(alice))
        with tenant_scope(alice.tenant.id):
            action = Action.objects.get(user_id=alice.ref.id, kind="withdraw")
        assert (action.actor, action.detail["rule"], action.detail["rule_versions"]) == (STAFF, SLUG, [1])
        assert list_differences(alice) == []

    def test_closed_facts_are_opened_again(self, alice: Chatter) -> None:
        job = run(close(alice))
        undone = run(request_reopening(
            tenant_id=alice.tenant.id, job_id=job.id, requested_by=STAFF, now=timezone.now()
        ))  # fmt: skip
        assert undone.counts == {"reopened": 3}
        assert (set(list_known(alice)), list_differences(alice)) == ({"silk", "nickel", "wool"}, [])

    def test_a_key_that_has_been_stated_since_keeps_its_new_fact(self, alice: Chatter) -> None:
        job = run(close(alice))
        alice.say("i'm allergic to nickel", created_at=timezone.now())
        undone = run(request_reopening(
            tenant_id=alice.tenant.id, job_id=job.id, requested_by=STAFF, now=timezone.now()
        ))  # fmt: skip
        assert undone.counts["kept_closed"] == 1
        assert count(alice) == (2, 2)

    def test_the_same_closing_twice_closes_once(self, alice: Chatter) -> None:
        run(close(alice))
        assert run(close(alice)).counts == {}

    def test_a_work_goes_on_where_it_stopped(self, alice: Chatter) -> None:
        job = close(alice)
        first = run(job, max_seconds=-1)
        assert (first.state, first.users_done) == ("queued", 1)
        second = run(job)
        assert (second.state, second.users_done, second.counts) == ("done", 2, {"closed": 3})

    def test_a_worker_that_dies_at_a_user_leaves_that_user_whole(
        self, alice: Chatter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = close(alice)

        def die(*_: Any, **__: Any) -> Any:
            raise SystemExit

        with monkeypatch.context() as patched:
            patched.setattr(running, "close_facts", die)
            with pytest.raises(SystemExit):
                run(job)
        assert (get(job).state, count(alice)) == ("running", (3, 2))
        now = timezone.now() + timedelta(minutes=5)
        assert claim_job(tenant_id=job.tenant_id, job_id=job.id, now=timezone.now()) is False
        assert claim_job(tenant_id=job.tenant_id, job_id=job.id, now=now) is True
        run_job(tenant_id=job.tenant_id, job_id=job.id, clock=timezone.now)
        assert (get(job).state, count(alice)) == ("done", (0, 0))

    def test_a_cancelled_work_stops_and_can_go_on(self, alice: Chatter) -> None:
        job = close(alice)
        run(job, max_seconds=-1)
        cancel_job(tenant_id=job.tenant_id, job_id=job.id, actor="staff:1", now=timezone.now())
        assert claim_job(tenant_id=job.tenant_id, job_id=job.id, now=timezone.now()) is False
        resume_job(tenant_id=job.tenant_id, job_id=job.id, actor="staff:1", now=timezone.now())
        assert run(job).counts == {"closed": 3}

    def test_a_user_who_is_being_erased_is_left_out(self, alice: Chatter, bob: Chatter) -> None:
        with tenant_scope(alice.tenant.id), connection.cursor() as cursor:
            cursor.execute("UPDATE memory_user SET fenced_at = now() WHERE id = %s", [bob.ref.id])
        job = run(close(alice))
        assert (job.users_done, job.users_left_out, job.counts) == (2, 1, {"closed": 2})

    def test_a_rule_has_one_work_at_a_time(self, alice: Chatter) -> None:
        close(alice)
        with pytest.raises(WorkGoesOn):
            preview(alice)

    def test_without_a_version_there_is_nothing_to_close(self, alice: Chatter) -> None:
        with pytest.raises(NotFound):
            close(alice, versions=())

    def test_another_tenants_facts_stay(self, alice: Chatter, other_tenant: Any) -> None:
        job = request_closing(
            tenant_id=other_tenant.id, rule=SLUG, versions=[1], requested_by=STAFF, now=timezone.now()
        )
        assert (run(job).counts, count(alice)) == ({}, (3, 2))
        with pytest.raises(NotFound):
            request_reopening(tenant_id=alice.tenant.id, job_id=job.id, requested_by=STAFF, now=timezone.now())


class TestReadingAnew:
    def test_the_preview_says_what_the_new_reading_adds_and_loses_and_changes_nothing(self, alice: Chatter) -> None:
        alice.say("i puff up from mohair")
        publish(alice, pattern="i balloon up from|i puff up from")
        shown = run(preview(alice))
        assert shown.counts["lost"] == 1
        assert (shown.counts["added"], shown.counts["added:allergy"]) == (1, 1)
        assert set(list_known(alice)) == {"silk", "nickel", "wool"}

    def test_reading_anew_does_what_the_preview_showed(self, alice: Chatter, bob: Chatter) -> None:
        alice.say("i puff up from mohair")
        publish(alice, pattern="i balloon up from|i puff up from")
        done = run(reread(alice, run(preview(alice))))
        assert (done.state, done.counts["added"], done.counts["lost"]) == ("done", 1, 1)
        assert list_known(alice) == {"silk": 1, "nickel": 2, "mohair": 2}
        assert (list_known(bob), list_differences(alice)) == ({"latex": 2}, [])

    def test_what_was_closed_comes_back_where_a_corrected_version_reads_it(self, alice: Chatter) -> None:
        quarantine_rule(slug=SLUG, tenant_id=alice.tenant.id, reason="really", changed_by=STAFF)
        refresh_rule_sets()
        run(close(alice))
        assert set(list_known(alice)) == {"silk"}
        row = publish(alice, pattern="i balloon up from")
        run(reread(alice, run(preview(alice))))
        assert list_known(alice) == {"silk": 1, "nickel": row.version}

    def test_what_was_said_later_stays_and_an_older_message_does_not_overwrite_it(self, alice: Chatter) -> None:
        alice.say("i am not allergic to nickel any more")
        known = set(list_known(alice))
        publish(alice, pattern="i balloon up from")
        run(reread(alice, run(preview(alice))))
        assert set(list_known(alice)) == known - {"wool"}

    def test_only_users_with_facts_of_the_rule_are_read_unless_all_are_asked_for(
        self, alice: Chatter, charlie: Chatter
    ) -> None:
        charlie.say("i puff up from mohair")
        publish(alice, pattern="i balloon up from|i puff up from")
        some = run(preview(alice))
        everybody = run(preview(alice, has_all_users=True))
        assert (some.users_total, everybody.users_total) == (2, 3)
        assert (some.counts.get("added", 0), everybody.counts["added"]) == (0, 1)
        run(reread(alice, everybody))
        assert list_known(charlie) == {"mohair": 2}

    def test_without_a_preview_nothing_is_read_and_one_from_before_the_rule_changed_is_none(
        self, alice: Chatter
    ) -> None:
        unfinished = preview(alice)
        with pytest.raises(PreviewFirst):
            reread(alice, unfinished)
        done = run(unfinished)
        publish(alice, pattern="i balloon up from")
        with pytest.raises(PreviewFirst):
            reread(alice, done)

    def test_a_user_who_is_being_erased_is_not_read(self, alice: Chatter, bob: Chatter) -> None:
        with tenant_scope(alice.tenant.id), connection.cursor() as cursor:
            cursor.execute("UPDATE memory_user SET fenced_at = now() WHERE id = %s", [bob.ref.id])
        publish(alice, pattern="i balloon up from")
        shown = run(preview(alice))
        assert (shown.users_left_out, run(reread(alice, shown)).users_left_out) == (1, 1)


def test_a_version_put_back_counts_what_came_after_it(alice: Chatter) -> None:
    row = publish(alice, pattern="i balloon up from|i puff up from")
    alice.say("i puff up from mohair")
    restore_rule_version(rule=row, version=1, changed_by=STAFF)
    assert count(alice, [2]) == (1, 1)
