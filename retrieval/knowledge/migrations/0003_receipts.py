"""Receipts of answers, and what workers find across tenants (SPEC P-4, D-47, D-48)."""

import django.contrib.postgres.fields
from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, enable_rls, restrict_function
from retrieval.knowledge.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0002_spellings")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="AnswerReceipt",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("user_id", models.UUIDField(editable=False, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("intent", models.CharField(blank=True, default="", max_length=80)),
                        ("tool", models.CharField(max_length=8)),
                        ("policy", models.CharField(max_length=8)),
                        ("plan_version", models.IntegerField()),
                        ("corpus_version", models.BigIntegerField()),
                        ("is_found", models.BooleanField()),
                        ("is_follow_up", models.BooleanField()),
                        ("confidence", models.FloatField()),
                        ("outcome", models.CharField(max_length=16)),
                        ("fault", models.CharField(blank=True, default="", max_length=24)),
                        ("reply_model", models.CharField(blank=True, default="", max_length=120)),
                        ("language", models.CharField(blank=True, default="", max_length=16)),
                        *[
                            (
                                name,
                                django.contrib.postgres.fields.ArrayField(
                                    base_field=models.BigIntegerField(), default=list
                                ),
                            )
                            for name in ("entity_ids", "item_ids", "chunk_ids")
                        ],
                        (
                            "chunk_scores",
                            django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), default=list),
                        ),
                        *[
                            (
                                name,
                                django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list),
                            )
                            for name in ("steps", "degraded_reasons")
                        ],
                        ("timings", models.JSONField(default=dict)),
                    ],
                    options={"db_table": "knowledge_receipt", "verbose_name": "answer receipt"},
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0003_receipts"), read_sql("0003_reverse"))],
        ),
        *enable_rls("knowledge_receipt"),
        *restrict_function("list_stale_graphs_v1(integer, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("list_tenants_with_old_questions_v1(timestamptz, timestamptz)", roles=(WORKER_ROLE,)),
    ]
