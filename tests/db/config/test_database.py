"""The pool: a connection that still works costs no question, one whose server has gone is not handed out."""

from typing import Any

import psycopg
import pytest
from django.db import connection
from django.db.utils import ConnectionHandler

from config.database.base import check_when_stirred


@pytest.fixture
def own(service_environment: dict[str, str]) -> Any:
    """A connection like those of the pool, alone."""
    with psycopg.connect(service_environment["DATABASE_URL"], autocommit=True) as connection:
        yield connection


def count_statements(superuser: Any, pid: int) -> Any:
    return superuser.execute("SELECT state_change FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone()[0]


def test_a_silent_connection_is_not_asked(own: Any, superuser_connection: Any) -> None:
    own.execute("SELECT 1")
    before = count_statements(superuser_connection, own.info.backend_pid)
    check_when_stirred(own)
    assert count_statements(superuser_connection, own.info.backend_pid) == before


def test_a_connection_whose_server_ended_is_refused(own: Any, superuser_connection: Any) -> None:
    superuser_connection.execute("SELECT pg_terminate_backend(%s, 5000)", [own.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        check_when_stirred(own)


def test_a_connection_closed_here_is_refused(own: Any) -> None:
    own.close()
    with pytest.raises(psycopg.OperationalError):
        check_when_stirred(own)


@pytest.fixture
def pooled(service_environment: dict[str, str]) -> Any:
    """Django's connection as the service has it: from a pool."""
    options = {**connection.settings_dict["OPTIONS"], "pool": {"min_size": 1, "max_size": 1, "timeout": 5}}
    settings = {**connection.settings_dict, "OPTIONS": options}
    wrapper = ConnectionHandler({"default": settings, "pooled": settings})["pooled"]
    yield wrapper
    wrapper.close()
    wrapper.close_pool()


def find_backend(pooled: Any) -> int:
    """The backend that the next statement goes to; the connection is given back."""
    with pooled.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid: int = cursor.fetchone()[0]
    pooled.close()
    return pid


@pytest.mark.django_db(databases=[])
def test_requests_share_a_connection_and_never_see_that_its_backend_ended(
    pooled: Any, superuser_connection: Any, django_db_blocker: Any
) -> None:
    with django_db_blocker.unblock():
        first = find_backend(pooled)
        assert find_backend(pooled) == first
        superuser_connection.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
        assert find_backend(pooled) != first
