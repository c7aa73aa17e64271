"""A backup brings the erased back for as long as nobody looks; the journal of tombstones looks (SPEC G-4)."""

import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from psycopg import sql

from config.launch import paths
from config.launch.account import find_server_account
from config.launch.embedded.binaries import find_postgres
from memory.erasure.journal import list_entries, write_entry
from memory.erasure.selectors import get_erasure
from memory.erasure.verification import verify_erasure
from memory.models import Conversation, FactRow, Message, User
from memory.sealing.keystore import get_key_store
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out, learn, look_at
from tests.plugin.database import _connection_as

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def journal(settings: Any, tmp_path: Path) -> Path:
    """A journal of this test's own."""
    settings.UNDE_TOMBSTONE_DIR = tmp_path / "tombstones"
    return tmp_path / "tombstones"


@pytest.fixture
def restored(database_name: str) -> Iterator[str]:
    """The name of a database into which a backup can be restored."""
    name = f"{database_name}_restored"
    with psycopg.connect(paths.database_url("superuser", database="postgres"), autocommit=True) as connection:
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        connection.execute(drop)
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER unde_owner TEMPLATE template0").format(sql.Identifier(name))
        )
        yield name
        connection.execute(drop)


def run_tool(program: str, *arguments: str) -> None:
    tool = find_postgres(find_server_account()) / program
    done = subprocess.run([str(tool), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def check(journal: Path) -> str:
    """What the command says."""
    said = StringIO()
    call_command("restore_check", journal=journal, stdout=said)
    return said.getvalue()


def test_a_restored_backup_loses_again_what_was_erased_after_it_was_taken(
    charlie: Chatter, alice: Chatter, bob: Chatter, journal: Path, database_name: str, restored: str, tmp_path: Path
) -> None:
    for person in (charlie, alice, bob):
        said = person.say("my size is M")
        person.say("a secret", conversation_id="private")
        learn(person, "M", evidence=[said.message_id])
    backup = str(tmp_path / "backup")
    run_tool("pg_dump", "-Fc", "-f", backup, paths.database_url("superuser", database=database_name))
    gone = carry_out(charlie, ask(charlie))
    part = carry_out(alice, ask(alice, scope="conversation", conversation_external_id="private"))
    run_tool("pg_restore", "-d", paths.database_url("superuser", database=restored), backup)

    with _connection_as(restored, paths.ROLE_NAMES["app"]):
        with tenant_scope(charlie.tenant.id):
            assert Message.objects.count() == 6
        assert "2 tombstones compared with the database, 2 erased again" in check(journal)
        with tenant_scope(charlie.tenant.id):
            assert not User.objects.filter(external_id=charlie.name).exists()
            assert not FactRow.objects.filter(user_id=gone.user_id).exists()
            assert Message.objects.filter(user_id=part.user_id).count() == 1
            assert Message.objects.filter(user_id=bob.ref.id).count() == 2
            assert list(Conversation.objects.filter(user_id=part.user_id).values_list("external_id", flat=True)) == [
                "chat"
            ]
        assert alice.list_facts() == bob.list_facts() == {("body_params", "size"): "M"}
        for erasure in (gone, part):
            with tenant_scope(charlie.tenant.id):
                replayed = get_erasure(tenant_id=charlie.tenant.id, erasure_id=erasure.id)
            assert replayed.status == "completed"
            assert replayed.history[0].code == "replayed_after_restore"
        assert "0 erased again" in check(journal)


def test_rows_that_come_back_under_a_known_tombstone_go_again(
    charlie: Chatter, journal: Path, superuser_connection: psycopg.Connection
) -> None:
    charlie.say("a secret")
    tables = ("memory_user", "memory_conversation", "memory_message")
    for table in tables:
        superuser_connection.execute(f"CREATE TEMP TABLE copy_of_{table} AS TABLE {table}")
    erasure = carry_out(charlie, ask(charlie))
    for table in tables:
        superuser_connection.execute(f"INSERT INTO {table} SELECT * FROM copy_of_{table}")
    assert "1 erased again" in check(journal)
    with tenant_scope(charlie.tenant.id):
        assert not Message.objects.exists()
        assert not User.objects.exists()
    assert look_at(charlie, erasure).history[-1].code == "restored_rows_erased"


def test_a_key_that_comes_back_with_a_copy_of_the_key_store_is_destroyed_again(
    charlie: Chatter, journal: Path, settings: Any
) -> None:
    charlie.say("a secret")
    erasure = carry_out(charlie, ask(charlie))
    mark = next(Path(settings.UNDE_KEY_DIR).rglob(f"{erasure.user_id}.gone"))
    mark.unlink()  # the copy was made before the erasure
    get_key_store().get_or_create(erasure.user_id)
    said = StringIO()
    call_command("restore_check", keys_only=True, journal=journal, stdout=said)
    assert "1 keys of erased users destroyed again" in said.getvalue()
    assert get_key_store().is_destroyed(erasure.user_id)


@pytest.mark.parametrize("has_journal", [True, False])
def test_a_key_that_comes_back_beside_the_mark_is_found_and_no_certificate_calls_it_destroyed(
    has_journal: bool, charlie: Chatter, journal: Path, settings: Any
) -> None:
    said = charlie.say("a secret")
    learn(charlie, "M", evidence=[said.message_id])
    key = next(Path(settings.UNDE_KEY_DIR).rglob(f"{charlie.ref.id}.key"))
    copy = key.read_bytes()
    erasure = carry_out(charlie, ask(charlie))
    key.write_bytes(copy)  # the copy is laid over the store, and the mark stays
    user = UserRef(id=erasure.user_id, tenant_id=charlie.tenant.id)
    assert verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now()).user_key == "still there"
    out = StringIO()
    folder = journal if has_journal else journal / "none"
    call_command("restore_check", keys_only=True, journal=folder, stdout=out)
    assert "1 keys of erased users destroyed again" in out.getvalue()
    assert not key.exists()
    assert verify_erasure(user=user, erasure_id=erasure.id, now=timezone.now()).user_key == "destroyed"


def test_a_second_look_at_the_key_store_finds_nothing(charlie: Chatter, journal: Path) -> None:
    charlie.say("a secret")
    carry_out(charlie, ask(charlie))
    out = StringIO()
    call_command("restore_check", keys_only=True, journal=journal, stdout=out)
    assert "0 keys of erased users destroyed again" in out.getvalue()


def test_a_user_whose_key_is_gone_without_a_tombstone_is_named(bob: Chatter, journal: Path) -> None:
    bob.say("hello")
    get_key_store().destroy(bob.ref.id)
    with pytest.raises(CommandError, match="Erase these users"):
        check(journal)


def test_the_journal_is_written_before_the_first_row_goes_and_holds_no_words(charlie: Chatter, journal: Path) -> None:
    class Stop(BaseException):
        pass

    def stop(step: str) -> None:
        if step == "journal":
            raise Stop

    charlie.say("a secret", client_id="their-own-id")
    erasure = ask(charlie)
    with pytest.raises(Stop):
        carry_out(charlie, erasure, after_step=stop)
    (entry,) = list_entries(folder=journal)
    assert (entry.erasure_id, entry.scope) == (str(erasure.id), "all")
    (path,) = journal.glob("*/*.json")
    text = path.read_text()
    assert "charlie" not in text
    assert "secret" not in text
    with tenant_scope(charlie.tenant.id):
        assert Message.objects.count() == 1
        again = write_entry(user=UserRef(erasure.user_id, charlie.tenant.id), erasure_id=erasure.id)
    assert again == path


def test_a_file_that_is_no_entry_stops_the_check_with_its_name(journal: Path) -> None:
    (journal / "tenant").mkdir(parents=True)
    (journal / "tenant" / "broken.json").write_text("{}")
    with pytest.raises(CommandError, match=r"broken\.json"):
        check(journal)


def test_a_tenant_that_is_not_in_the_backup_is_skipped(charlie: Chatter, journal: Path) -> None:
    charlie.say("hello")
    carry_out(charlie, ask(charlie))
    (path,) = journal.glob("*/*.json")
    text = path.read_text().replace(str(charlie.tenant.id), "01900000-0000-7000-8000-000000000000")
    path.write_text(text)
    assert "the tenant is not in this database" in check(journal)
