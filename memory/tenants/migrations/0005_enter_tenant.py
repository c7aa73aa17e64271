"""Entering a tenant is a function: it confirms the caller's key in the same exchange."""

from pathlib import Path

from django.db import migrations

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0004_staff_groups")]

    operations = [
        migrations.RunSQL(
            (FUNCTIONS / "enter_tenant_v1.sql").read_text(encoding="utf-8"),
            "DROP FUNCTION enter_tenant_v1(text, text, uuid, bytea);",
        )
    ]
