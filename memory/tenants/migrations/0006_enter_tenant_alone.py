"""Entering a tenant no longer confirms a key: each request looks its key up."""

from pathlib import Path

from django.db import migrations

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0005_enter_tenant")]

    operations = [
        migrations.RunSQL(
            (FUNCTIONS / "enter_tenant_v2.sql").read_text(encoding="utf-8"),
            "DROP FUNCTION enter_tenant_v2(text, text);",
        ),
        migrations.RunSQL(
            "DROP FUNCTION enter_tenant_v1(text, text, uuid, bytea);",
            (FUNCTIONS / "enter_tenant_v1.sql").read_text(encoding="utf-8"),
        ),
    ]
