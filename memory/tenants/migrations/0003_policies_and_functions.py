"""Keys and the audit trail behind policies; the functions that see across tenants, each for the role that needs it."""

from pathlib import Path

from django.db import migrations

from memory.tenants.sql import APP_ROLE, WORKER_ROLE, enable_rls, restrict_function

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"


def load(name, undo):
    return migrations.RunSQL((FUNCTIONS / f"{name}.sql").read_text(encoding="utf-8"), undo)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_tenants_keys_staff_audit")]

    operations = [
        *enable_rls("api_key"),
        *enable_rls("audit_event", append_only=True),
        load("find_api_key_v1", "DROP FUNCTION find_api_key_v1(bytea);"),
        *restrict_function("find_api_key_v1(bytea)", roles=(APP_ROLE, WORKER_ROLE)),
        load("keep_audit_trail_v1", "DROP FUNCTION keep_audit_trail_v1() CASCADE;"),
        load(
            "seal_audit_day_v1",
            "DROP FUNCTION find_broken_audit_event_v1(uuid);"
            "DROP FUNCTION seal_audit_day_v1(uuid, date);"
            "DROP FUNCTION hash_audit_event_v1(audit_event, bytea);",
        ),
        *restrict_function("seal_audit_day_v1(uuid, date)", roles=(WORKER_ROLE,)),
    ]
