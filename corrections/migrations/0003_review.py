"""The review queue, verdicts and golden cases; the tables are made in SQL (D-10)."""

from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

from memory.tenants.sql import enable_rls

SQL = Path(__file__).resolve().parent.parent / "sql"
REVERSE = (
    "DROP TABLE corrections_golden_case; DROP TABLE corrections_review_verdict; DROP TABLE corrections_review_item;"
)


class Migration(migrations.Migration):
    dependencies = [("corrections", "0002_backtests"), ("memory", "0003_extraction")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="ReviewItem",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("source", models.CharField(max_length=12)),
                        ("fact_id", models.UUIDField(null=True)),
                        ("correction_id", models.UUIDField(null=True)),
                        ("operation", models.CharField(max_length=8)),
                        ("knowledge_type", models.CharField(max_length=40)),
                        ("language", models.CharField(blank=True, default="", max_length=16)),
                        ("rule", models.CharField(blank=True, default="", max_length=120)),
                        ("rule_version", models.IntegerField(null=True)),
                        ("model", models.CharField(blank=True, default="", max_length=120)),
                        ("prompt_version", models.CharField(blank=True, default="", max_length=16)),
                        ("evidence_message_ids", django.contrib.postgres.fields.ArrayField(models.UUIDField())),
                        ("reviewers_wanted", models.SmallIntegerField(default=1)),
                        ("state", models.CharField(default="waiting", max_length=8)),
                        ("verdict", models.CharField(max_length=16, null=True)),
                        ("decided_at", models.DateTimeField(null=True)),
                        ("locked_by", models.CharField(blank=True, default="", max_length=80)),
                        ("locked_until", models.DateTimeField(null=True)),
                        (
                            "skipped_by",
                            django.contrib.postgres.fields.ArrayField(models.CharField(max_length=80), default=list),
                        ),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={"db_table": "corrections_review_item"},
                ),
                migrations.CreateModel(
                    name="ReviewVerdict",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("item_id", models.UUIDField(editable=False)),
                        ("token", models.UUIDField(editable=False)),
                        ("reviewer", models.CharField(max_length=80)),
                        ("verdict", models.CharField(max_length=16)),
                        ("milliseconds", models.IntegerField()),
                        ("judged_at", models.DateTimeField()),
                        ("undone_at", models.DateTimeField(null=True)),
                    ],
                    options={"db_table": "corrections_review_verdict"},
                ),
                migrations.CreateModel(
                    name="GoldenCase",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("correction_id", models.UUIDField(editable=False)),
                        ("language", models.CharField(max_length=16)),
                        ("content", models.JSONField()),
                        ("written_by", models.CharField(max_length=80)),
                        ("written_at", models.DateTimeField()),
                    ],
                    options={"db_table": "corrections_golden_case"},
                ),
            ],
            database_operations=[
                migrations.RunSQL((SQL / "0003_review.sql").read_text(encoding="utf-8"), REVERSE),
            ],
        ),
        *enable_rls("corrections_review_item"),
        *enable_rls("corrections_review_verdict"),
        *enable_rls("corrections_golden_case"),
    ]
