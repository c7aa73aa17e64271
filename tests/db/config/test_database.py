"""The pool: a connection that still works costs no question, one whose server has gone is not handed out."""

from typing import Any

import psycopg
import pytest
from django.db import connection
from django.db.utils import ConnectionHandler

from config.database.base import check_when_stirred
from memory.database import statements as exchange
from memory.database.statements import Statement, send_apart


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


@pytest.mark.django_db(databases=[])
def test_the_connection_used_last_is_taken_first(pooled: Any, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        pooled.pool.open()
        pooled.pool.resize(3, 3)
        pooled.pool.wait(10)
        assert len({find_backend(pooled) for _ in range(3)}) == 1


@pytest.mark.django_db(databases=[])
def test_a_pool_with_too_many_closes_the_connection_idle_for_longest(pooled: Any, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        pool = pooled.pool
        pool.open()
        pool.resize(1, 3)
        taken = [pool.getconn(timeout=10) for _ in range(3)]
        for each in taken:
            pool.putconn(each)
        pool._nconns_min = 0  # all were in use since the last look
        pool._shrink_pool()
        assert [each.closed for each in taken] == [False, False, False]
        pool._shrink_pool()
        assert [each.closed for each in taken] == [True, False, False]
        assert find_backend(pooled) == taken[2].info.backend_pid


SETS_TENANT = Statement("SELECT set_config('app.tenant_id', %s, true)", ["mine"])
SHOWS_TENANT = Statement("SELECT current_setting('app.tenant_id', true), pg_backend_pid()")


@pytest.mark.django_db(databases=[])
def test_what_is_sent_apart_runs_on_another_connection_in_a_transaction_that_ends_with_it(
    pooled: Any, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "connections", {"pooled": pooled})
    with django_db_blocker.unblock():
        pooled.pool.open()
        pooled.pool.resize(2, 2)
        pooled.pool.wait(10)
        with pooled.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            inside = cursor.fetchone()[0]
            apart = send_apart([SETS_TENANT, SHOWS_TENANT], using="pooled")
            assert apart is not None
            (tenant, backend) = apart.result()[-1][0]
            assert (tenant, backend != inside) == ("mine", True)
            assert send_apart([SHOWS_TENANT], using="pooled").result() == [[("", backend)]]
            late = [Statement("SELECT set_config('statement_timeout', '50', true)"), Statement("SELECT pg_sleep(9)")]
            with pytest.raises(psycopg.errors.QueryCanceled):
                send_apart(late, using="pooled").result()
            assert send_apart([SHOWS_TENANT], using="pooled").result() == [[("", backend)]]


@pytest.mark.django_db(databases=[])
def test_nothing_is_sent_apart_while_no_connection_is_free(
    pooled: Any, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "connections", {"pooled": pooled})
    with django_db_blocker.unblock(), pooled.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert send_apart([SHOWS_TENANT], using="pooled") is None


@pytest.mark.django_db(databases=[])
def test_a_database_that_is_gone_without_a_word_is_noticed_in_seconds(pooled: Any, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock(), pooled.cursor():
        given = pooled.connection.info.get_parameters()
    names = ("tcp_user_timeout", "keepalives_idle", "keepalives_interval")  # seconds, but for the first
    assert [given[name] for name in names] == ["20000", "5", "5"]
