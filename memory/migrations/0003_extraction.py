"""Extraction: runs, candidates, samples for review, switches (SPEC X-1 to X-4). Keys as in D-10, made in SQL."""

from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


def id_field():
    return models.UUIDField(editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_erasure")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("Conversation", "extracted_seq", models.IntegerField(default=0)),
                migrations.CreateModel(
                    name="ExtractionRun",
                    fields=[
                        ("id", id_field()),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("status", models.CharField(max_length=16)),
                        ("triggered_by", models.CharField(max_length=20)),
                        ("code", models.CharField(max_length=60, blank=True, default="")),
                        ("model", models.CharField(max_length=120, blank=True, default="")),
                        ("prompt_version", models.CharField(max_length=16, blank=True, default="")),
                        ("fingerprint", models.BinaryField(max_length=32, null=True, blank=True)),
                        ("message_ids", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                        ("sealed", models.BinaryField(null=True, blank=True)),
                        ("prompt_tokens", models.IntegerField(default=0)),
                        ("completion_tokens", models.IntegerField(default=0)),
                        ("cost_usd", models.DecimalField(max_digits=12, decimal_places=6, default=0)),
                        ("duration_ms", models.IntegerField(default=0)),
                        ("proposed", models.IntegerField(default=0)),
                        ("applied", models.IntegerField(default=0)),
                        ("staged", models.IntegerField(default=0)),
                        ("results", models.JSONField(default=dict)),
                        ("failures", models.IntegerField(default=0)),
                        ("claimed_at", models.DateTimeField()),
                        ("next_at", models.DateTimeField()),
                        ("finished_at", models.DateTimeField(null=True, blank=True)),
                    ],
                    options={"verbose_name": "extraction run", "db_table": "extraction_run"},
                ),
                migrations.CreateModel(
                    name="FactCandidate",
                    fields=[
                        ("id", id_field()),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("kind", models.CharField(max_length=20)),
                        ("status", models.CharField(max_length=16)),
                        ("knowledge_type", models.CharField(max_length=40)),
                        ("key_hash", models.BinaryField(max_length=32)),
                        ("sealed", models.BinaryField()),
                        ("confidence", models.FloatField()),
                        ("language", models.CharField(max_length=16, blank=True, default="")),
                        ("evidence_message_ids", ArrayField(base_field=models.UUIDField(), size=None)),
                        ("run_id", models.UUIDField()),
                        ("fact_id", models.UUIDField(null=True, blank=True)),
                        ("first_said_at", models.DateTimeField()),
                        ("last_said_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                        ("created_at", models.DateTimeField()),
                        ("updated_at", models.DateTimeField()),
                    ],
                    options={"verbose_name": "candidate", "db_table": "fact_candidate"},
                ),
                migrations.CreateModel(
                    name="ReviewSample",
                    fields=[
                        ("id", id_field()),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("run_id", models.UUIDField()),
                        ("fact_id", models.UUIDField()),
                        ("operation", models.CharField(max_length=8)),
                        ("knowledge_type", models.CharField(max_length=40)),
                        ("language", models.CharField(max_length=16, blank=True, default="")),
                        ("model", models.CharField(max_length=120)),
                        ("prompt_version", models.CharField(max_length=16)),
                        ("evidence_message_ids", ArrayField(base_field=models.UUIDField(), size=None)),
                        ("locked_by", models.CharField(max_length=80, blank=True, default="")),
                        ("locked_until", models.DateTimeField(null=True, blank=True)),
                        ("verdict", models.CharField(max_length=16, null=True, blank=True)),
                        ("judged_by", models.CharField(max_length=80, blank=True, default="")),
                        ("judged_at", models.DateTimeField(null=True, blank=True)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={"verbose_name": "review sample", "db_table": "review_sample"},
                ),
                migrations.CreateModel(
                    name="ExtractionTenantState",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("mode", models.CharField(max_length=8, default="on")),
                        ("reason", models.CharField(max_length=60, blank=True, default="")),
                        ("actor", models.CharField(max_length=80, blank=True, default="")),
                        ("changed_at", models.DateTimeField(null=True, blank=True)),
                        ("sample_share", models.FloatField(default=0.01)),
                        ("blocked_until", models.DateTimeField(null=True, blank=True)),
                    ],
                    options={"verbose_name": "extraction switch", "db_table": "extraction_tenant_state"},
                ),
                migrations.CreateModel(
                    name="ExtractionQuarantine",
                    fields=[
                        ("id", id_field()),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("slice", models.CharField(max_length=12)),
                        ("value", models.CharField(max_length=140)),
                        ("reason", models.CharField(max_length=60)),
                        ("judged", models.IntegerField()),
                        ("right_count", models.IntegerField()),
                        ("since", models.DateTimeField()),
                        ("lifted_at", models.DateTimeField(null=True, blank=True)),
                        ("lifted_by", models.CharField(max_length=80, blank=True, default="")),
                    ],
                    options={"verbose_name": "quarantine", "db_table": "extraction_quarantine"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0003_extraction.sql"), read_sql("0003_extraction_reverse.sql")),
            ],
        ),
        *enable_rls("extraction_run"),
        *enable_rls("fact_candidate"),
        *enable_rls("review_sample"),
        *enable_rls("extraction_tenant_state"),
        *enable_rls("extraction_quarantine"),
        *restrict_function(
            "claim_extractions_v1(timestamptz, interval, interval, interval, integer, uuid[])", roles=(WORKER_ROLE,)
        ),
        *restrict_function("claim_expired_candidates_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("count_pending_extractions_v1()", roles=SERVICE_ROLES),
    ]
