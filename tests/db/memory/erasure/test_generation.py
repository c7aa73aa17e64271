"""No process keeps words of an erased user in its memory (SPEC G-3)."""

import gc
import types
from collections.abc import Callable
from typing import Any, Final

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.erasure.generation import forget_erased
from memory.erasure.tasks import watch_erasures
from patterns.text.caches import WordCache
from tests.api.conftest import make_caller
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out

PARTS: Final = ("zq", "vbk", "mrtw")
"""Of a word that nothing but a user's text makes whole."""


@pytest.fixture(autouse=True)
def looked_at_long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look of the test is due."""
    monkeypatch.setattr(settings.UNDE_TUNING, "ERASED_LOOKED_AGAIN_SECONDS", 0.0)


def find_holders() -> list[str]:
    """The kinds of objects of this process that hold a text with the word: what it would show in a dump of memory."""
    gc.collect()
    found = set()
    for holder in gc.get_objects():
        if isinstance(holder, types.FrameType):
            continue
        for held in gc.get_referents(holder):
            if isinstance(held, str | bytes):
                text = held if isinstance(held, str) else held.decode("latin-1")
                if all(part in text for part in PARTS) and f"{PARTS[0]}{PARTS[1]}{PARTS[2]}" in text:
                    found.add(type(holder).__name__)
    return sorted(found)


def talk(tenant: Any) -> None:
    """The word comes in, is searched for, and comes again."""
    api = make_caller(tenant)
    for number in range(3):
        body = {"user_id": "charlie", "conversation_id": f"c{number}", "role": "user"}
        assert api.post("/v1/messages", {**body, "content": f"my cat is {''.join(PARTS)}"}).status_code == 201
    found = api.post("/v1/search", {"user_id": "charlie", "query": f"who is {''.join(PARTS)}?"})
    assert found.status_code == 200


@pytest.mark.django_db(transaction=True)
def test_after_an_erasure_no_object_of_the_process_holds_the_word(tenant: Any) -> None:
    talk(tenant)
    assert find_holders()
    charlie = Chatter(tenant, "charlie")
    assert carry_out(charlie, ask(charlie)).status == "completed"
    assert find_holders() == []


@pytest.mark.django_db
def test_another_process_forgets_with_its_next_request() -> None:
    forget_erased()
    kept: WordCache[str, int] = WordCache()
    kept["word"] = 1
    forget_erased()
    assert kept == {"word": 1}
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('erasure_generation')")  # as a worker elsewhere does
    assert Client().get("/healthz").status_code == 200
    assert kept == {"word": 1}
    Client().get("/readyz")
    assert kept == {}


@pytest.mark.django_db(transaction=True)
def test_a_worker_forgets_with_its_next_task(as_role: Callable[[str], None]) -> None:
    as_role("worker")
    forget_erased()
    kept: WordCache[str, int] = WordCache()
    kept["word"] = 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('erasure_generation')")
    watch_erasures()
    assert kept == {}


@pytest.mark.django_db(transaction=True)
def test_the_first_erasure_of_an_installation_counts(owner_connection: psycopg.Connection) -> None:
    owner_connection.execute("ALTER SEQUENCE erasure_generation RESTART")
    forget_erased()
    kept: WordCache[str, int] = WordCache()
    kept["word"] = 1
    with connection.cursor() as cursor:  # as another process raises it
        cursor.execute("SELECT nextval('erasure_generation')")
    forget_erased()
    assert kept == {}


@pytest.mark.django_db
def test_the_number_is_asked_for_every_two_seconds_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    with CaptureQueriesContext(connection) as asked:
        forget_erased()
        monkeypatch.setattr(settings.UNDE_TUNING, "ERASED_LOOKED_AGAIN_SECONDS", 3600.0)
        for _ in range(3):
            forget_erased()
    assert len(asked) == 1


def test_without_a_database_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    def fail() -> None:
        raise OperationalError

    kept: WordCache[str, int] = WordCache()
    kept["word"] = 1
    monkeypatch.setattr(connection, "cursor", fail)
    forget_erased()
    assert kept == {"word": 1}
