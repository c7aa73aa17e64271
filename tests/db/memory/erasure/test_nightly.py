"""The second stage of erasures comes by itself at night, and is missed where it does not (D-30)."""

from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from config import doctor
from config.launch import paths
from memory.disks import Disk
from memory.erasure import nightly
from memory.erasure import table_files as storage
from memory.erasure.nightly import finish_erasures, list_erasures_in_files
from memory.erasure.tasks import prove_erasures
from memory.erasure.worker import recheck_erasure
from memory.models import ErasureCertificate, StorageRewrite
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other runs of the suite share the cluster, and each test of theirs is one long transaction."""
    monkeypatch.setattr(settings.UNDE_TUNING, "REWRITE_PATIENCE_SECONDS", 240.0)


@pytest.fixture
def maintenance(settings: Any, database_name: str) -> Any:
    """Makes a role the one that the night works as."""

    def choose(role: Any) -> None:
        settings.UNDE_MAINTENANCE_DATABASE_URL = paths.database_url(role, database=database_name)

    return choose


def erase(person: Chatter) -> UserRef:
    """An erasure that is done and was looked at once more."""
    person.say("I am allergic to nickel")
    erasure = carry_out(person, ask(person))
    user = UserRef(id=erasure.user_id, tenant_id=person.tenant.id)
    recheck_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    return user


def list_stages(user: UserRef) -> list[int]:
    with tenant_scope(user.tenant_id):
        return list(
            ErasureCertificate.objects.filter(user_id=user.id).order_by("number").values_list("stage", flat=True)
        )


def read_metric(name: str, **labels: str) -> float:
    page = Client().get("/metrics").content.decode()
    samples = (sample for family in text_string_to_metric_families(page) for sample in family.samples)
    return next(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


def test_the_night_rewrites_the_files_and_signs_the_second_stage(charlie: Chatter, maintenance: Any) -> None:
    maintenance("superuser")
    user = erase(charlie)
    assert [each.user for each in list_erasures_in_files()] == [user]
    assert read_metric("unde_erasures_in_files") == 1
    assert prove_erasures() == 1
    assert list_stages(user) == [1, 2]
    assert list_erasures_in_files() == []
    assert read_metric("unde_erasures_in_files") == read_metric("unde_erasures_in_files_seconds") == 0
    before = StorageRewrite.objects.count()
    assert prove_erasures() == 0
    assert StorageRewrite.objects.count() == before


def test_the_owner_of_the_tables_is_enough_where_the_log_cannot_be_seen(charlie: Chatter, maintenance: Any) -> None:
    maintenance("owner")
    user = erase(charlie)
    assert prove_erasures() == 1
    assert list_stages(user) == [1, 2]


@pytest.mark.parametrize(("url", "outcome"), [("app", "not_allowed"), ("nowhere", "no_connection")])
def test_a_role_that_may_not_leaves_it_to_the_alert(
    charlie: Chatter, maintenance: Any, settings: Any, url: str, outcome: str
) -> None:
    if url == "nowhere":
        settings.UNDE_MAINTENANCE_DATABASE_URL = "postgresql:///nothing?host=/nowhere"
    else:
        maintenance(url)
    user = erase(charlie)
    before = read_metric("unde_storage_rewrites_total", outcome=outcome)
    assert finish_erasures(now=timezone.now()) == 0
    assert list_stages(user) == [1]
    assert read_metric("unde_storage_rewrites_total", outcome=outcome) == before + 1
    assert read_metric("unde_erasures_in_files") == 1


def test_a_large_table_and_a_tight_disk_are_left_to_a_person(
    charlie: Chatter, maintenance: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    maintenance("superuser")
    erase(charlie)
    before = StorageRewrite.objects.count()
    monkeypatch.setattr(nightly, "list_disks", lambda: [Disk("database", 2**40, 2**20, is_needed=True)])
    assert nightly.rewrite_files(now=timezone.now()) == "no_room"
    monkeypatch.setattr(settings.UNDE_TUNING, "REWRITE_LARGEST_BYTES", 1)
    assert nightly.rewrite_files(now=timezone.now()) == "too_large"
    assert StorageRewrite.objects.count() == before


def test_a_table_in_use_is_tried_again_later(
    charlie: Chatter, maintenance: Any, superuser_connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    maintenance("superuser")
    erase(charlie)
    monkeypatch.setattr(storage, "LOCK_TIMEOUT", "200ms")
    monkeypatch.setattr(settings.UNDE_TUNING, "REWRITE_PATIENCE_SECONDS", 0.0)
    with superuser_connection.transaction():
        superuser_connection.execute("LOCK TABLE memory_message IN ACCESS SHARE MODE")
        assert nightly.rewrite_files(now=timezone.now()) == "in_use"


def test_the_doctor_warns_after_two_nights(charlie: Chatter) -> None:
    erase(charlie)

    def judge(now: datetime) -> list[str]:
        found = doctor.examine(clock=lambda: now, ping=lambda: [{"worker": "pong"}])
        return [finding.level for finding in found if finding.name == "erasures"]

    assert judge(timezone.now()) == ["note"]
    assert judge(timezone.now() + timedelta(days=2, minutes=1)) == ["warn"]


def test_the_worker_may_find_them_and_others_may_not(charlie: Chatter, as_role: Any) -> None:
    erase(charlie)
    as_role("worker")
    assert len(list_erasures_in_files()) == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_function_privilege('public', 'find_erasures_in_files_v1(integer)', 'EXECUTE')")
        assert cursor.fetchone() == (False,)
