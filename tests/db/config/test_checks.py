import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.checks import CheckMessage

from config import checks
from config.launch import paths


def list_ids(messages: list[CheckMessage]) -> list[str | None]:
    return [message.id for message in messages]


def test_settings_as_they_are_raise_nothing() -> None:
    for check in (
        checks.check_master_keys,
        checks.check_key_folder,
        checks.check_production_values,
        checks.check_time_limits,
    ):
        assert check(None) == []


def test_production_without_master_keys_is_refused(settings: Any) -> None:
    settings.UNDE_MASTER_KEYS = ""
    assert list_ids(checks.check_master_keys(None)) == ["unde.W001"]
    settings.UNDE_ENVIRONMENT = "production"
    assert list_ids(checks.check_master_keys(None)) == ["unde.E001"]


def test_a_malformed_master_key_is_refused_without_being_shown(settings: Any) -> None:
    settings.UNDE_MASTER_KEYS = "main:" + base64.b64encode(b"too short").decode()
    (message,) = checks.check_master_keys(None)
    assert message.id == "unde.E001"
    assert "dG9v" not in message.msg


@pytest.mark.parametrize("folder", ["pg", "pg/keys", "backups/daily/keys"])
def test_keys_inside_what_backups_copy_are_refused(settings: Any, tmp_path: Path, folder: str) -> None:
    settings.UNDE_DATA_DIR = tmp_path
    settings.UNDE_KEY_DIR = tmp_path / folder
    assert list_ids(checks.check_key_folder(None)) == ["unde.E002"]


def test_keys_in_a_named_dump_folder_are_refused(settings: Any, tmp_path: Path) -> None:
    settings.UNDE_BACKUP_DIRS = [str(tmp_path)]
    settings.UNDE_KEY_DIR = tmp_path / "keys"
    assert list_ids(checks.check_key_folder(None)) == ["unde.E002"]


def test_a_key_folder_open_to_other_accounts_is_refused(settings: Any, tmp_path: Path) -> None:
    settings.UNDE_KEY_DIR = tmp_path / "keys"
    settings.UNDE_KEY_DIR.mkdir(mode=0o755)
    settings.UNDE_KEY_DIR.chmod(0o755)
    assert list_ids(checks.check_key_folder(None)) == ["unde.E003"]


def test_values_of_a_laptop_are_refused_in_production(settings: Any) -> None:
    settings.UNDE_ENVIRONMENT = "production"
    settings.SECRET_KEY = "not-secret: made by nobody"
    settings.UNDE_DEV_API_KEY = "dev"
    assert list_ids(checks.check_production_values(None)) == ["unde.E004", "unde.E005"]


@pytest.mark.django_db
def test_the_live_database_of_the_service_has_no_fault() -> None:
    assert checks.check_database(None, databases=["default"]) == []


@pytest.mark.parametrize(("role", "fault"), [("superuser", "superuser"), ("owner", "owner of tables")])
def test_a_service_that_could_see_past_the_policies_is_refused(as_role: Any, role: paths.Role, fault: str) -> None:
    as_role(role)
    (message,) = checks.find_role_problems("default")
    assert message.id == "unde.E010"
    assert fault in message.msg


def test_the_worker_role_is_fit_for_service(as_role: Any) -> None:
    as_role("worker")
    assert checks.find_role_problems("default") == []


@pytest.mark.django_db
def test_a_table_of_tenants_without_policies_is_found(owner_connection: psycopg.Connection) -> None:
    owner_connection.execute("CREATE TABLE forgotten_by_its_migration (tenant_id uuid)")
    try:
        (message,) = checks.find_policy_problems("default")
    finally:
        owner_connection.execute("DROP TABLE forgotten_by_its_migration")
    assert message.id == "unde.E013"
    assert "forgotten_by_its_migration" in message.msg


def start(module: str, environment: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        env={**environment, "DJANGO_SETTINGS_MODULE": "config.settings.test", **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_web_process_with_an_unfit_role_does_not_start(
    service_environment: dict[str, str], database_name: str
) -> None:
    superuser = paths.database_url("superuser", database=database_name)
    refused = start("config.wsgi", service_environment, DATABASE_URL=superuser)
    assert refused.returncode == 1
    assert "which is superuser" in refused.stderr
    assert start("config.wsgi", service_environment).returncode == 0


def test_a_worker_with_an_unfit_role_does_not_start(service_environment: dict[str, str], database_name: str) -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "config", "worker", "--pool", "solo", "--without-gossip"],
        env={
            **service_environment,
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "UNDE_DB_ROLE": "worker",
            "DATABASE_WORKER_URL": paths.database_url("superuser", database=database_name),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert refused.returncode == 1
    assert "which is superuser" in refused.stderr


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("definition", "grant", "fault"),
    [
        ("SET search_path = pg_catalog", "", "run by everyone"),
        ("", "REVOKE ALL ON FUNCTION told() FROM PUBLIC", "no fixed search path"),
    ],
)
def test_a_function_with_its_owners_rights_that_is_open_is_found(
    owner_connection: psycopg.Connection, definition: str, grant: str, fault: str
) -> None:
    create = f"CREATE FUNCTION told() RETURNS int LANGUAGE sql SECURITY DEFINER {definition} AS 'SELECT 1'; {grant}"
    owner_connection.execute(create)  # type: ignore[arg-type]
    try:
        (message,) = checks.find_function_problems("default")
    finally:
        owner_connection.execute("DROP FUNCTION told()")
    assert message.id == "unde.E015"
    assert fault in message.msg


def test_a_server_that_logs_statements_is_pointed_out(superuser_connection: psycopg.Connection, as_role: Any) -> None:
    superuser_connection.execute("ALTER ROLE unde_app SET log_min_duration_statement = 100")
    try:
        as_role("app")
        (message,) = checks.find_logging_problems("default")
    finally:
        superuser_connection.execute("ALTER ROLE unde_app RESET log_min_duration_statement")
    assert message.id == "unde.W014"
    assert "log_min_duration_statement = -1" in (message.hint or "")
