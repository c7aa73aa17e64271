"""Events, the addresses that want them, and deliveries. Keys start with the tenant, made in SQL (D-10)."""

from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"
TABLES = ("memory_event_counter", "memory_event", "webhook_endpoint", "webhook_delivery")
WORKERS_ONLY = (
    "list_tenants_with_new_events_v1(integer)",
    "claim_deliveries_v1(timestamptz, timestamptz, integer)",
    "drop_events_v1(timestamptz, integer)",
)


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_squashed_0023_calibration"), ("tenants", "0001_squashed_0011_scopes_of_episodes")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="EventCounter",
                    fields=[
                        ("owner_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("last_number", models.BigIntegerField()),
                    ],
                    options={"db_table": "memory_event_counter"},
                ),
                migrations.CreateModel(
                    name="Event",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(null=True)),
                        ("user_seq", models.BigIntegerField(null=True)),
                        ("type", models.CharField(max_length=40)),
                        ("message_id", models.UUIDField(null=True)),
                        ("data", models.JSONField()),
                        ("recorded_at", models.DateTimeField()),
                        ("number", models.BigIntegerField(null=True)),
                    ],
                    options={"db_table": "memory_event"},
                ),
                migrations.CreateModel(
                    name="WebhookEndpoint",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("external_id", models.CharField(max_length=128, verbose_name="id")),
                        ("url", models.CharField(max_length=2000, verbose_name="URL")),
                        (
                            "events",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=40), size=None
                            ),
                        ),
                        ("description", models.CharField(blank=True, default="", max_length=200)),
                        ("secret", models.BinaryField()),
                        ("former_secret", models.BinaryField(null=True)),
                        ("former_until", models.DateTimeField(null=True)),
                        ("disabled_at", models.DateTimeField(null=True)),
                        ("disabled_reason", models.CharField(blank=True, default="", max_length=20)),
                        ("failing_since", models.DateTimeField(null=True)),
                        ("created_at", models.DateTimeField()),
                        ("updated_at", models.DateTimeField()),
                    ],
                    options={"verbose_name": "webhook", "db_table": "webhook_endpoint"},
                ),
                migrations.CreateModel(
                    name="WebhookDelivery",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("endpoint_id", models.UUIDField()),
                        ("event_id", models.UUIDField()),
                        ("state", models.CharField(default="waiting", max_length=10)),
                        ("attempts", models.IntegerField(default=0)),
                        ("available_at", models.DateTimeField()),
                        ("claimed_until", models.DateTimeField(null=True)),
                        ("status", models.IntegerField(null=True)),
                        ("error", models.CharField(blank=True, default="", max_length=40)),
                        ("duration_ms", models.IntegerField(null=True)),
                        ("created_at", models.DateTimeField()),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "verbose_name": "delivery",
                        "verbose_name_plural": "deliveries",
                        "db_table": "webhook_delivery",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0001_outbox.sql"), read_sql("0001_outbox_reverse.sql")),
            ],
        ),
        *[operation for table in TABLES for operation in enable_rls(table)],
        *[operation for name in WORKERS_ONLY for operation in restrict_function(name, roles=(WORKER_ROLE,))],
        *restrict_function("count_waiting_deliveries_v1()", roles=SERVICE_ROLES),
    ]
