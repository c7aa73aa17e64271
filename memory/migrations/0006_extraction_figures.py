"""Figures over all tenants that alerts look at: counts and times, no ids."""

from pathlib import Path

from django.db import migrations

from memory.tenants.sql import SERVICE_ROLES, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"
REVERSE = "DROP FUNCTION count_extraction_switches_v1(timestamptz); DROP FUNCTION count_waiting_samples_v1();"


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_entering")]

    operations = [
        migrations.RunSQL((SQL / "0006_extraction_figures.sql").read_text(encoding="utf-8"), REVERSE),
        *restrict_function("count_extraction_switches_v1(timestamptz)", roles=SERVICE_ROLES),
        *restrict_function("count_waiting_samples_v1()", roles=SERVICE_ROLES),
    ]
