import uuid
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.db.utils import ProgrammingError
from django.test.utils import CaptureQueriesContext

from memory.database.queries import Query, send_together
from memory.tenants import scope as module
from memory.tenants.models import ApiKey, Tenant
from memory.tenants.scope import current_tenant_id, run_in_scope, start_apart, tenant_scope

ALICES = UUID("0190a11c-0000-7000-8000-000000000001")
BOBS = UUID("0190b0b0-0000-7000-8000-000000000002")


def read_setting(name: str) -> str | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s, true)", [name])
        found: str | None = cursor.fetchone()[0]
    return found


def make_keys() -> None:
    for tenant_id, slug in ((ALICES, "alices"), (BOBS, "bobs")):
        tenant = Tenant.objects.create(id=tenant_id, slug=slug, name=slug)
        with tenant_scope(tenant_id):
            ApiKey.objects.create(tenant=tenant, name="web", prefix=slug, key_hash=slug.encode(), scopes=["read"])


@pytest.mark.django_db(transaction=True)
def test_a_scope_is_a_transaction_that_commits_and_leaves_no_tenant_behind() -> None:
    make_keys()
    assert current_tenant_id() is None
    with tenant_scope(ALICES):
        assert connection.in_atomic_block
        assert current_tenant_id() == ALICES
        assert read_setting("app.tenant_id") == str(ALICES)
    assert not connection.in_atomic_block
    assert current_tenant_id() is None
    assert not read_setting("app.tenant_id")


@pytest.mark.django_db(transaction=True)
def test_an_exception_rolls_back_and_leaves_no_tenant_behind() -> None:
    make_keys()
    with pytest.raises(RuntimeError), tenant_scope(ALICES):
        ApiKey.objects.update(name="renamed")
        raise RuntimeError
    assert current_tenant_id() is None
    with tenant_scope(ALICES):
        assert ApiKey.objects.get().name == "web"


@pytest.mark.django_db
def test_a_tenant_sees_and_changes_its_own_rows_alone() -> None:
    make_keys()
    with tenant_scope(BOBS):
        assert [key.prefix for key in ApiKey.objects.all()] == ["bobs"]
        assert ApiKey.objects.filter(tenant_id=ALICES).count() == 0
        assert ApiKey.objects.filter(prefix="alices").update(name="stolen") == 0
        assert ApiKey.objects.filter(prefix="alices").delete()[0] == 0
    with tenant_scope(ALICES):
        assert ApiKey.objects.get().name == "web"


@pytest.mark.django_db
def test_a_row_cannot_be_written_into_another_tenant() -> None:
    make_keys()
    with pytest.raises(ProgrammingError, match="row-level security"), tenant_scope(BOBS):
        ApiKey.objects.create(tenant_id=ALICES, name="x", prefix="x", key_hash=b"x", scopes=["read"])
    with pytest.raises(ProgrammingError, match="row-level security"), tenant_scope(BOBS):
        ApiKey.objects.update(tenant_id=ALICES)


@pytest.mark.django_db
def test_outside_of_a_scope_nothing_is_seen() -> None:
    make_keys()
    with transaction.atomic():
        assert ApiKey.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_an_inner_scope_gives_the_outer_tenant_and_time_limit_back() -> None:
    make_keys()
    with tenant_scope(ALICES, statement_timeout_ms=5_000):
        with tenant_scope(BOBS, statement_timeout_ms=700):
            assert ApiKey.objects.get().prefix == "bobs"
            assert read_setting("statement_timeout") == "700ms"
        assert current_tenant_id() == ALICES
        assert ApiKey.objects.get().prefix == "alices"
        assert read_setting("statement_timeout") == "5s"
        with pytest.raises(RuntimeError), tenant_scope(BOBS):
            assert read_setting("statement_timeout") == "5s"
            raise RuntimeError
        assert ApiKey.objects.get().prefix == "alices"


@pytest.mark.django_db(transaction=True)
def test_a_failed_statement_in_an_inner_scope_leaves_the_outer_one_working() -> None:
    make_keys()
    with tenant_scope(ALICES):
        with pytest.raises(ProgrammingError), tenant_scope(BOBS), connection.cursor() as cursor:
            cursor.execute("SELECT no_such_column FROM api_key")
        assert ApiKey.objects.get().prefix == "alices"


@pytest.mark.django_db
def test_a_scope_decorates_a_function() -> None:
    make_keys()

    @tenant_scope(ALICES)
    def list_prefixes() -> list[str]:
        return [key.prefix for key in ApiKey.objects.all()]

    assert list_prefixes() == list_prefixes() == ["alices"]


@pytest.mark.django_db(transaction=True)
def test_entering_costs_one_statement_beside_begin_and_commit() -> None:
    with CaptureQueriesContext(connection) as statements, tenant_scope(ALICES, statement_timeout_ms=100):
        pass
    verbs = [statement["sql"].split()[0] for statement in statements.captured_queries]
    assert verbs == ["BEGIN", "SELECT", "COMMIT"]


@pytest.mark.django_db(transaction=True)
def test_a_scope_may_be_opened_by_its_first_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    exchanges: list[int] = []

    def count_and_send(statements: Sequence[Query], **more: Any) -> list[Any]:
        exchanges.append(len(statements))
        return send_together(statements, **more)

    monkeypatch.setattr(module, "send_together", count_and_send)
    settings = "SELECT current_setting('app.tenant_id'), current_setting('statement_timeout')"
    scope = tenant_scope(ALICES, statement_timeout_ms=2000, opens_with_statement=True)
    with CaptureQueriesContext(connection) as statements, scope:
        assert run_in_scope([Query(settings)]) == [[(str(ALICES), "2s")]]
        with connection.cursor() as cursor:
            cursor.execute(settings)
            assert cursor.fetchone() == (str(ALICES), "2s")
    verbs = [statement["sql"].split()[0] for statement in statements.captured_queries]
    assert verbs == ["BEGIN", "SELECT", "SELECT", "SELECT", "COMMIT"]
    assert exchanges == [2]  # the tenant's and the first one, sent together


@pytest.mark.django_db(transaction=True)
def test_a_scope_that_nothing_opened_sees_no_row() -> None:
    make_keys()
    with tenant_scope(ALICES, opens_with_statement=True):
        assert ApiKey.objects.count() == 0


@pytest.mark.django_db
def test_inside_another_scope_the_tenant_is_set_at_once_and_given_back() -> None:
    make_keys()
    with tenant_scope(ALICES):
        with tenant_scope(BOBS, opens_with_statement=True):
            assert ApiKey.objects.get().prefix == "bobs"
        assert ApiKey.objects.get().prefix == "alices"


def read_apart(pooled_scope: tenant_scope) -> tuple[Any, ...]:
    """Tenant, limit, backend, and the keys that are seen, on the second connection."""
    shown = "current_setting('app.tenant_id'), current_setting('statement_timeout'), pg_backend_pid()"
    with pooled_scope:
        apart = start_apart(Query(f"SELECT {shown}, (SELECT array_agg(prefix) FROM api_key)"), share=0.5)
        assert apart is not None
        row: tuple[Any, ...] = apart.result(10)[-1][0]
        inside = run_in_scope([Query("SELECT pg_backend_pid()")])[0][0][0]
        assert row[2] != inside
    return row


def test_what_a_scope_starts_apart_sees_its_tenant_s_rows_alone_under_a_share_of_its_limit(pooled: Any) -> None:
    make_keys()
    for tenant_id, prefix in ((ALICES, "alices"), (BOBS, "bobs")):
        scope = tenant_scope(tenant_id, statement_timeout_ms=2000, opens_with_statement=True, using="pooled")
        tenant, limit, _, prefixes = read_apart(scope)
        assert (tenant, limit, prefixes) == (str(tenant_id), "1s", [prefix])


@pytest.mark.parametrize("tenant_id", ["", "not a uuid"])
def test_what_is_not_a_uuid_opens_nothing(tenant_id: str) -> None:
    with pytest.raises(ValueError, match="badly formed"):
        tenant_scope(tenant_id)


@pytest.mark.django_db
def test_an_unknown_tenant_sees_nothing() -> None:
    make_keys()
    with tenant_scope(uuid.uuid4()):
        assert ApiKey.objects.count() == 0
