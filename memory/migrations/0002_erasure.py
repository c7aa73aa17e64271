"""Erasure: requests, history, messages, certificates; tombstones that speak to ingest (G-2, D-29). Keys as in D-10."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


def id_field():
    return models.UUIDField(editable=False, primary_key=True, serialize=False)


def owner_fields():
    return [("tenant_id", models.UUIDField(editable=False)), ("user_id", models.UUIDField(editable=False))]


ROLES = ", ".join(SERVICE_ROLES)
# The words of an action may be taken out under a tombstone, nothing else of it (trigger keep_actions).
OPEN_ACTIONS = f"GRANT UPDATE (sealed) ON memory_action TO {ROLES};"
CLOSE_ACTIONS = f"REVOKE UPDATE (sealed) ON memory_action FROM {ROLES};"
CLOSE_REWRITES = f"REVOKE INSERT, UPDATE, DELETE ON storage_rewrite FROM {ROLES};"


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("User", "has_tombstones", models.BooleanField(default=False)),
                migrations.AddField("Tombstone", "refused_hmacs", models.JSONField(default=list)),
                migrations.CreateModel(
                    name="ErasureRequest",
                    fields=[
                        ("id", id_field()),
                        *owner_fields(),
                        ("tombstone_id", models.UUIDField(editable=False)),
                        ("fingerprint", models.BinaryField(max_length=32)),
                        ("scope", models.CharField(max_length=16)),
                        ("reason", models.CharField(max_length=40)),
                        ("actor", models.CharField(max_length=80)),
                        ("status", models.CharField(max_length=16)),
                        ("legal_profile", models.CharField(max_length=40)),
                        ("requested_at", models.DateTimeField()),
                        ("warning_at", models.DateTimeField()),
                        ("critical_at", models.DateTimeField()),
                        ("deadline_at", models.DateTimeField()),
                        ("alert", models.CharField(blank=True, default="", max_length=10)),
                        ("available_at", models.DateTimeField()),
                        ("attempts", models.IntegerField(default=0)),
                        ("counts", models.JSONField(default=dict)),
                        ("completed_at", models.DateTimeField(blank=True, null=True)),
                        ("completed_lsn", models.CharField(blank=True, max_length=24, null=True)),
                        ("rechecked_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={"verbose_name": "erasure", "db_table": "erasure_request"},
                ),
                migrations.CreateModel(
                    name="ErasureEvent",
                    fields=[
                        ("id", id_field()),
                        *owner_fields(),
                        ("erasure_id", models.UUIDField(editable=False)),
                        ("status", models.CharField(max_length=16)),
                        ("code", models.CharField(blank=True, default="", max_length=60)),
                        ("happened_at", models.DateTimeField()),
                    ],
                    options={"verbose_name": "erasure event", "db_table": "erasure_event"},
                ),
                migrations.CreateModel(
                    name="ErasureItem",
                    fields=[
                        ("message_id", id_field()),
                        *owner_fields(),
                        ("erasure_id", models.UUIDField(editable=False)),
                    ],
                    options={"verbose_name": "erased message", "db_table": "erasure_item"},
                ),
                migrations.CreateModel(
                    name="ErasureCertificate",
                    fields=[
                        ("id", id_field()),
                        *owner_fields(),
                        ("erasure_id", models.UUIDField(editable=False)),
                        ("stage", models.SmallIntegerField()),
                        ("number", models.IntegerField()),
                        ("body", models.TextField()),
                        ("signature", models.BinaryField(max_length=32)),
                        ("signed_at", models.DateTimeField()),
                    ],
                    options={"verbose_name": "erasure certificate", "db_table": "erasure_certificate"},
                ),
                migrations.CreateModel(
                    name="StorageRewrite",
                    fields=[
                        ("id", id_field()),
                        ("relation", models.CharField(max_length=63)),
                        ("began_lsn", models.CharField(max_length=24)),
                        ("finished_at", models.DateTimeField()),
                        ("dead_rows_kept", models.BigIntegerField(blank=True, null=True)),
                        ("wal_kept_from", models.CharField(blank=True, max_length=24, null=True)),
                    ],
                    options={"verbose_name": "storage rewrite", "db_table": "storage_rewrite"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0002_erasure.sql"), read_sql("0002_erasure_reverse.sql")),
            ],
        ),
        *enable_rls("erasure_request"),
        *enable_rls("erasure_event", append_only=True),
        *enable_rls("erasure_item", append_only=True),
        *enable_rls("erasure_certificate", append_only=True),
        migrations.RunSQL(OPEN_ACTIONS + CLOSE_REWRITES, CLOSE_ACTIONS),
        *restrict_function("claim_erasures_v1(timestamptz, interval, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("claim_erasure_alerts_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("claim_erasures_to_recheck_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("count_open_erasures_v1()", roles=SERVICE_ROLES),
    ]
