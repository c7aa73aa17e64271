"""D-30 on a real cluster: planted words are looked for, byte by byte, in every file that could hold them."""

import secrets
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from config.launch import paths
from config.launch.folders import Folders
from memory.erasure.certificates import find_broken_certificate
from memory.erasure.verification import verify_erasure
from memory.erasure.worker import recheck_erasure
from memory.models import ErasureCertificate
from memory.services.fact_inputs import FactInput
from memory.services.facts import put_facts
from memory.services.forgets import forget_messages
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out, learn

pytestmark = pytest.mark.django_db(transaction=True)

# Long values would be compressed, and a search for bytes would find nothing whatever is there.
UNCOMPRESSED = {
    "memory_message": ("content", "response_description", "blocks", "metadata", "speaker"),
    "message_snippet": ("snippet",),
}


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other runs of the suite share the cluster, and each test of theirs is one long transaction."""
    monkeypatch.setattr(settings.UNDE_TUNING, "REWRITE_PATIENCE_SECONDS", 240.0)


def make_marker() -> str:
    """A word that is nowhere else: letters only, so that it passes every tokeniser as one word."""
    return "zq" + "".join(secrets.choice("bcdfghjkmpvwx") for _ in range(14)) + "x"


def list_files(connection: psycopg.Connection, places: Folders) -> Iterator[Path]:
    """Files of this database and of the cluster, of Valkey, and all logs."""
    data = Path(connection.execute("SHOW data_directory").fetchone()[0])
    number = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()[0]
    folders = [data / "base" / str(number), data / "base" / "pgsql_tmp", data / "global", data / "pg_wal", places.log]
    folders += [data / "pg_stat", data / "pg_replslot", places.state / "valkey"]
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.is_file())


def find_files(connection: psycopg.Connection, places: Folders, marker: str) -> list[str]:
    """Names of the files that hold the marker; what PostgreSQL and Valkey have in memory is written out first."""
    connection.execute("CHECKPOINT")
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.save()
    client.close()
    found = [path for path in list_files(connection, places) if marker.encode() in read(path)]
    return sorted(name_file(connection, path) for path in found)


def name_file(connection: psycopg.Connection, path: Path) -> str:
    """The relation that the file belongs to, else the file's name."""
    number = path.name.partition(".")[0]
    if path.parent.parent.name != "base" or not number.isdigit():
        return path.name
    row = connection.execute("SELECT pg_filenode_relation(0, %s)::regclass::text", [int(number)]).fetchone()
    return (row and row[0]) or path.name


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # the server removed it meanwhile
        return b""


def plant(person: Chatter, marker: str, connection: psycopg.Connection) -> None:
    """The marker in every kind of record that can hold what a user wrote."""
    for table, columns in UNCOMPRESSED.items():
        for column in columns:
            connection.execute(f"ALTER TABLE {table} ALTER {column} SET STORAGE EXTERNAL")
    first = person.say(
        f"my size is M {marker} " + "long words follow " * 300,
        client_id=marker,
        speaker=marker,
        metadata={"note": marker},
        conversation_id=marker,
    )
    person.hear(f"noted {marker}", response_description=f"{marker} described", conversation_id=marker)
    second = person.say(f"second {marker}")
    learn(person, "M", evidence=[first.message_id], reason=marker)
    learn(person, "nickel", evidence=[second.message_id], knowledge_type="allergy", knowledge_key="nickel")
    put_facts(
        tenant=person.tenant,
        user_external_id=person.name,
        facts=[FactInput(knowledge_type="budget", value=300, source="onboarding")],
        actor="key:test",
        now=timezone.now(),
    )
    connection.execute(
        "INSERT INTO message_snippet (tenant_id, user_id, message_id, snippet, model, created_at)"
        " SELECT tenant_id, user_id, message_id, %s, 'test', now() FROM message_index WHERE user_id = %s LIMIT 1",
        [marker, person.ref.id],
    )
    forget_messages(
        user=person.ref, message_ids=[second.message_id], actor="key:test", now=timezone.now(), reason=marker
    )
    connection.execute("ANALYZE")


def test_after_erasure_and_rewrite_no_file_holds_a_word(
    tenant: Any, superuser_connection: psycopg.Connection, database_cluster: Folders, database_name: str
) -> None:
    from tests.api.conftest import make_caller

    marker = make_marker()
    charlie = Chatter(tenant, f"user-{marker}")
    plant(charlie, marker, superuser_connection)
    api = make_caller(tenant)
    assert isinstance(api.client, Client)
    asked = {"user_id": charlie.name, "query": f"what about {marker}?"}
    assert api.post("/v1/search", asked).status_code == 200
    api.post("/v1/context", {**asked, "conversation_id": marker})
    found_before = find_files(superuser_connection, database_cluster, marker)
    assert len(found_before) > 3  # tables, their big values, indexes, the log

    erasure = carry_out(charlie, ask(charlie))
    assert erasure.status == "completed"
    user = UserRef(id=erasure.user_id, tenant_id=tenant.id)
    at_once = verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    assert at_once.is_proved
    assert at_once.certificate is None
    assert find_files(superuser_connection, database_cluster, marker)  # a DELETE alone leaves bytes behind

    url = paths.database_url("superuser", database=database_name)
    call_command("rewrite_storage", database_url=url, stdout=StringIO())
    assert find_files(superuser_connection, database_cluster, marker) == []

    early = verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    assert all(said.startswith("clean") for said in early.storage.values()), early.storage
    assert early.certificate is None  # rows may still come late, into files that are clean
    recheck_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    later = verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    assert all(said.startswith("clean") for said in later.storage.values()), later.storage
    assert later.certificate is not None
    with tenant_scope(tenant.id):
        assert list(ErasureCertificate.objects.order_by("number").values_list("stage", flat=True)) == [1, 2]
        assert find_broken_certificate(tenant_id=tenant.id) is None
    again = verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    assert again.certificate is not None
    assert again.certificate.id == later.certificate.id


def test_the_owner_alone_rewrites_tables_and_says_that_the_log_was_not_checked(
    charlie: Chatter, database_name: str
) -> None:
    charlie.say("hello")
    erasure = carry_out(charlie, ask(charlie))
    said = StringIO()
    call_command("rewrite_storage", database_url=paths.database_url("owner", database=database_name), stdout=said)
    assert "write-ahead log kept from: not checked" in said.getvalue()
    user = UserRef(id=erasure.user_id, tenant_id=charlie.tenant.id)
    recheck_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    found = verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    assert found.storage["memory_message"].startswith("clean")
    assert found.storage["log"].startswith("not checked")
    assert found.certificate is not None


def test_what_an_old_transaction_keeps_alive_is_not_called_clean(
    charlie: Chatter, superuser_connection: psycopg.Connection, database_name: str
) -> None:
    charlie.say("hello")
    url = paths.database_url("superuser", database=database_name)
    with psycopg.connect(url) as old:
        old.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        old.execute("SELECT 1 FROM tenant").fetchall()  # a snapshot that still sees the rows; no lock on their table
        erasure = carry_out(charlie, ask(charlie))
        call_command("rewrite_storage", table=["memory_message"], database_url=url, stdout=StringIO())
    user = UserRef(id=erasure.user_id, tenant_id=charlie.tenant.id)
    found = verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
    assert "while an old transaction kept" in found.storage["memory_message"]
    assert found.storage["user_knowledge"] == "not rewritten since the erasure"
    assert found.certificate is None


def test_the_command_proves_a_done_erasure_and_refuses_an_open_one(charlie: Chatter) -> None:
    charlie.say("hello")
    slug = Tenant.objects.get(id=charlie.tenant.id).slug
    erasure = ask(charlie)
    with pytest.raises(CommandError, match="not proved"):
        call_command("verify_erasure", tenant=slug, erasure=erasure.id, stdout=StringIO())
    carry_out(charlie, erasure)
    said = StringIO()
    call_command("verify_erasure", tenant=slug, user=charlie.name, stdout=said)
    assert "key of the user: destroyed" in said.getvalue()
    assert "rows of messages: 0" in said.getvalue()
    assert "not before the second look" in said.getvalue()
    assert charlie.name not in said.getvalue()
    with pytest.raises(CommandError, match="does not exist"):
        call_command("verify_erasure", tenant=slug, user="nobody", stdout=StringIO())


def test_a_cache_that_names_the_user_is_found(charlie: Chatter) -> None:
    charlie.say("hello")
    erasure = carry_out(charlie, ask(charlie))
    user = UserRef(id=erasure.user_id, tenant_id=charlie.tenant.id)
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.lpush("planted", f"user {user.id}")
    try:
        found = verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now())
        assert found.cache.startswith("found in 1 of")
        assert not found.is_proved
    finally:
        client.delete("planted")
        client.close()
