import base64
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.sealing.keystore import get_key_store
from memory.tenants.errors import InvalidKey
from memory.tenants.selectors import get_caller, get_tenant, list_memberships
from memory.tenants.types import Role, Scope

pytestmark = pytest.mark.django_db

ALICE = UUID("01900000-0000-7000-8000-00000000000a")
COMMANDS = [
    "create_tenant",
    "create_key",
    "revoke_key",
    "create_staff",
    "ensure_demo",
    "rotate_master_key",
    "verify_audit_trail",
]


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path) -> Path:
    settings.UNDE_DATA_DIR = tmp_path
    settings.UNDE_KEY_DIR = tmp_path / "keys"
    settings.UNDE_KEY_DATABASE_URL = ""
    settings.UNDE_ENVIRONMENT = "embedded"
    settings.UNDE_DEV_API_KEY = "a key made up by hand"
    return tmp_path


def run(*arguments: str) -> str:
    written = StringIO()
    call_command(*arguments, stdout=written, stderr=written)
    return written.getvalue()


def test_a_tenant_and_a_key_made_by_hand_are_good_for_the_api() -> None:
    assert "created" in run("create_tenant", "acme", "--name", "Acme", "--timezone", "Europe/Berlin")
    secret = run("create_key", "acme", "--name", "web", "--scopes", "read").strip()
    caller = get_caller(secret=secret, now=timezone.now())
    assert (caller.tenant_slug, caller.timezone, caller.scopes) == ("acme", "Europe/Berlin", {Scope.READ})
    run("revoke_key", "acme", "web")
    with pytest.raises(InvalidKey):
        get_caller(secret=secret, now=timezone.now())


def test_if_missing_leaves_what_is_there() -> None:
    run("create_tenant", "acme")
    assert "exists" in run("create_tenant", "acme", "--if-missing")
    run("create_key", "acme", "--name", "web")
    assert "exists" in run("create_key", "acme", "--name", "web", "--if-missing")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("create_tenant", "acme"), "Tenant 'acme' already exists."),
        (("create_tenant", "Not A Slug"), "lower-case letters"),
        (("create_tenant", "x", "--timezone", "Mars/Base"), "such as Asia/Dubai"),
        (("create_key", "nobody", "--name", "web"), "no tenant with this slug"),
        (("create_key", "acme", "--name", "web"), "Revoke it first"),
        (("create_key", "acme", "--name", "x", "--expires-in-days", "0"), "at least 1"),
        (("create_key", "acme", "--name", "x", "--requests-per-minute", "-5"), "at least 1"),
        (("revoke_key", "acme", "other"), "no active key 'other'"),
        (("create_staff", "leila", "--role", "reviewer"), "needs --tenant"),
    ],
)
def test_a_command_that_cannot_says_why_in_a_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    run("create_tenant", "acme")
    run("create_key", "acme", "--name", "web")
    with pytest.raises(CommandError, match=sentence):
        run(*arguments)


def test_the_demo_is_made_once_and_its_password_is_said_once(data_dir: Path) -> None:
    first = dict(line.split("=", 1) for line in run("ensure_demo").splitlines())
    path = Path(first["admin_password_file"])
    assert path.parent == data_dir
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().strip() == first["admin_password"]
    admin = User.objects.get(username="admin")
    assert admin.is_superuser and admin.check_password(first["admin_password"])
    assert (None, Role.OPERATOR) in list_memberships(staff_user_id=admin.pk)
    assert get_caller(secret="a key made up by hand", now=timezone.now()).scopes == set(Scope)
    assert run("ensure_demo") == ""


def test_a_new_development_key_takes_the_place_of_the_old_one_and_may_come_back(settings: Any) -> None:
    for secret in ("first", "second", "first"):
        settings.UNDE_DEV_API_KEY = secret
        run("ensure_demo")
        assert get_caller(secret=secret, now=timezone.now()).tenant_slug == "demo"
    with pytest.raises(InvalidKey):
        get_caller(secret="second", now=timezone.now())


def test_there_is_no_demo_in_production(settings: Any) -> None:
    settings.UNDE_ENVIRONMENT = "production"
    with pytest.raises(CommandError, match="embedded servers"):
        run("ensure_demo")


def test_a_staff_users_password_is_in_a_file_of_their_own(data_dir: Path) -> None:
    run("create_tenant", "acme")
    output = run("create_staff", "leila", "--role", "reviewer", "--tenant", "acme")
    assert "leila: reviewer in 'acme'" in output
    first = (data_dir / "leila-password").read_text()
    assert "as before" in run("create_staff", "leila", "--role", "reviewer", "--tenant", "acme")
    run("create_staff", "leila", "--role", "reviewer", "--tenant", "acme", "--reset-password")
    assert (data_dir / "leila-password").read_text() != first


def test_rotation_wraps_every_key_anew_and_goes_on_where_it_stopped(settings: Any) -> None:
    old, new = (f"{name}:{base64.b64encode(name.encode() * 32).decode()}" for name in "on")
    settings.UNDE_MASTER_KEYS = old
    key = get_key_store().get_or_create(ALICE)
    settings.UNDE_MASTER_KEYS = f"{new},{old}"
    assert "1 keys read, 1 encrypted again, 0 failed" in run("rotate_master_key")
    assert "1 keys read, 0 encrypted again, 0 failed" in run("rotate_master_key")
    settings.UNDE_MASTER_KEYS = new
    assert get_key_store().get(ALICE) == key


def test_rotation_without_the_old_key_fails_and_says_which(settings: Any) -> None:
    old, new = (f"{name}:{base64.b64encode(name.encode() * 32).decode()}" for name in "on")
    settings.UNDE_MASTER_KEYS = old
    get_key_store().get_or_create(ALICE)
    settings.UNDE_MASTER_KEYS = new
    with pytest.raises(CommandError, match="Keep the old master keys"):
        run("rotate_master_key")


def test_a_trail_that_holds_is_said_to_hold() -> None:
    run("create_tenant", "acme")
    assert run("verify_audit_trail", "acme") == "acme: holds\n"
    assert "(installation): holds" in run("verify_audit_trail")


@pytest.mark.django_db(transaction=True)
def test_a_trail_that_was_changed_fails_and_names_the_event(
    owner_connection: psycopg.Connection, worker_connection: psycopg.Connection
) -> None:
    run("create_tenant", "acme")
    tenant = get_tenant(slug="acme")
    tomorrow = timezone.now().date() + timedelta(days=1)
    worker_connection.execute("SELECT seal_audit_day_v1(%s, %s)", [tenant.id, tomorrow])
    owner_connection.execute("ALTER TABLE audit_event DISABLE TRIGGER USER")
    try:
        owner_connection.execute("UPDATE audit_event SET actor_id = 'nobody' WHERE tenant_id = %s", [tenant.id])
    finally:
        owner_connection.execute("ALTER TABLE audit_event ENABLE TRIGGER USER")
    with pytest.raises(CommandError, match="changed after it was sealed"):
        run("verify_audit_trail", "acme")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        call_command(command, "--help")
    assert stopped.value.code == 0
    assert f"script/manage {command}" in capsys.readouterr().out
