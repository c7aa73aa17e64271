"""The derived tables and the receipts. Django's state says `message_id` or `id`; the real keys start with the user (D-10)."""

from pathlib import Path

import django.contrib.postgres.fields
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, hide_partition, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="MessageIndex",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("conversation_id", models.UUIDField(editable=False)),
                        ("seq", models.IntegerField()),
                        ("session_no", models.IntegerField()),
                        ("role", models.CharField(max_length=16)),
                        ("memory_type", models.CharField(max_length=16)),
                        ("speaker", models.CharField(blank=True, default="", max_length=128)),
                        ("traits", models.SmallIntegerField(default=0)),
                        ("len", models.IntegerField()),
                        ("created_at", models.DateTimeField()),
                        ("received_at", models.DateTimeField()),
                        ("tokeniser", models.SmallIntegerField()),
                        ("head", django.contrib.postgres.search.SearchVectorField()),
                        ("tsv", django.contrib.postgres.search.SearchVectorField()),
                    ],
                    options={
                        "verbose_name": "indexed message",
                        "db_table": "message_index",
                    },
                ),
                migrations.CreateModel(
                    name="MessageSnippet",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("snippet", models.CharField(max_length=120)),
                        ("model", models.CharField(max_length=120)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "snippet",
                        "db_table": "message_snippet",
                    },
                ),
                migrations.CreateModel(
                    name="RetrievalReceipt",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("kind", models.CharField(max_length=16)),
                        ("conversation_id", models.UUIDField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("as_of", models.DateTimeField(blank=True, null=True)),
                        ("query_hash", models.BinaryField(max_length=32)),
                        ("rendering_hash", models.BinaryField(max_length=32, null=True)),
                        ("language", models.CharField(blank=True, default="", max_length=16)),
                        ("intent", models.CharField(blank=True, default="", max_length=40)),
                        ("policy_version", models.CharField(max_length=80)),
                        ("model_id", models.SmallIntegerField(blank=True, null=True)),
                        ("log_position", models.BigIntegerField(default=0)),
                        (
                            "candidate_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.UUIDField(), default=list, size=None
                            ),
                        ),
                        (
                            "candidate_scores",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.FloatField(), default=list, size=None
                            ),
                        ),
                        (
                            "chosen_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.UUIDField(), default=list, size=None
                            ),
                        ),
                        (
                            "chosen_scores",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.FloatField(), default=list, size=None
                            ),
                        ),
                        (
                            "decision_reasons",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.TextField(), default=list, size=None
                            ),
                        ),
                        (
                            "guardrail_hits",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.TextField(), default=list, size=None
                            ),
                        ),
                        (
                            "span_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.UUIDField(), default=list, size=None
                            ),
                        ),
                        (
                            "fact_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.UUIDField(), default=list, size=None
                            ),
                        ),
                        (
                            "recent_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.UUIDField(), default=list, size=None
                            ),
                        ),
                        (
                            "pending_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.UUIDField(), default=list, size=None
                            ),
                        ),
                        (
                            "degraded_reasons",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.TextField(), default=list, size=None
                            ),
                        ),
                        (
                            "stores",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.TextField(), default=list, size=None
                            ),
                        ),
                        ("budget", models.JSONField(default=dict)),
                        ("timings", models.JSONField(default=dict)),
                    ],
                    options={
                        "verbose_name": "receipt",
                        "db_table": "retrieval_receipt",
                    },
                ),
                migrations.CreateModel(
                    name="EmbeddingModel",
                    fields=[
                        ("id", models.SmallAutoField(primary_key=True, serialize=False)),
                        ("name", models.CharField(max_length=120)),
                        ("dimensions", models.IntegerField()),
                        ("is_inline", models.BooleanField()),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        "verbose_name": "embedding model",
                        "db_table": "embedding_model",
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("name", "dimensions"), name="a_model_is_known_by_its_name_and_dimensions"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EmbeddingTask",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("priority", models.SmallIntegerField(default=1)),
                        ("attempts", models.SmallIntegerField(default=0)),
                        ("available_at", models.DateTimeField()),
                        ("claimed_at", models.DateTimeField(blank=True, null=True)),
                        ("orphaned_at", models.DateTimeField(blank=True, null=True)),
                        ("received_at", models.DateTimeField()),
                        (
                            "model",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="retrieval.embeddingmodel",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "embedding task",
                        "db_table": "embedding_task",
                    },
                ),
                migrations.CreateModel(
                    name="MessageEmbedding",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("dimensions", models.SmallIntegerField()),
                        (
                            "model",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="retrieval.embeddingmodel",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "vector",
                        "db_table": "message_embedding",
                    },
                ),
                migrations.CreateModel(
                    name="SpanThreshold",
                    fields=[
                        ("id", models.SmallAutoField(primary_key=True, serialize=False)),
                        ("language", models.CharField(max_length=16)),
                        ("threshold", models.FloatField()),
                        ("calibrated_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "model",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="retrieval.embeddingmodel",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "span threshold",
                        "db_table": "span_threshold",
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("model", "language"), name="a_model_has_one_threshold_per_language"
                            )
                        ],
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    read_sql("0001_tables.sql") + read_sql("0001_functions.sql"), read_sql("0001_reverse.sql")
                ),
            ],
        ),
        *enable_rls("message_index"),
        *enable_rls("message_embedding"),
        *enable_rls("embedding_task"),
        *enable_rls("message_snippet"),
        *enable_rls("retrieval_receipt", append_only=True),
        *hide_partition("retrieval_receipt_rest"),
        *restrict_function("claim_embedding_tasks_v1(smallint, timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("sweep_embedding_tasks_v1(timestamptz)", roles=(WORKER_ROLE,)),
        *restrict_function("plan_embedding_tasks_v1(smallint, timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("count_embedding_tasks_v1()", roles=SERVICE_ROLES),
        *restrict_function("prepare_receipt_partitions_v1(date, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("drop_receipt_partitions_v1(date)", roles=(WORKER_ROLE,)),
    ]
