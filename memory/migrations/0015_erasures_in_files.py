"""Erasures whose second stage is not signed yet: for the work of the night, the metrics and the alert (D-30)."""

from pathlib import Path

from django.db import migrations

from memory.tenants.sql import SERVICE_ROLES, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0013_withdrawals")]

    operations = [
        migrations.RunSQL(read_sql("0015_erasures_in_files.sql"), read_sql("0015_erasures_in_files_reverse.sql")),
        *restrict_function("find_erasures_in_files_v1(integer)", roles=SERVICE_ROLES),
    ]
