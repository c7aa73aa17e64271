"""Purposes, consents, and what follows from them for a batch of messages. Keys are made in SQL (D-10)."""

from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import enable_rls

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_squashed_0023_calibration"), ("tenants", "0012_squashed_0016_scope_of_opendsr")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Purpose",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("key", models.CharField(max_length=40)),
                        ("names", models.JSONField()),
                        ("texts", models.JSONField()),
                        ("covers", ArrayField(base_field=models.CharField(max_length=40), size=None)),
                        ("is_granted_by_default", models.BooleanField()),
                        ("is_changeable", models.BooleanField()),
                        ("kept_days", models.IntegerField(null=True)),
                        ("created_at", models.DateTimeField()),
                        ("changed_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                    ],
                    options={"verbose_name": "purpose", "db_table": "purpose"},
                ),
                migrations.CreateModel(
                    name="Consent",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("purpose_key", models.CharField(max_length=40)),
                        ("is_granted", models.BooleanField()),
                        ("actor", models.CharField(max_length=80)),
                        ("recorded_at", models.DateTimeField()),
                        ("is_current", models.BooleanField(default=True)),
                    ],
                    options={"verbose_name": "consent", "db_table": "consent"},
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0001_tables.sql"))],
        ),
        *enable_rls("purpose"),
        *enable_rls("consent"),
    ]
