"""Figures of quality over time, and the governor's actions (SPEC Q-1 to Q-3)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import APP_ROLE, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"
FUNCTIONS = (
    "read_quality_v1()",
    "count_governor_actions_v1()",
    "count_embedding_priorities_v1()",
    "measure_pending_extractions_v1()",
    "count_review_errors_v1(timestamptz)",
)


class Migration(migrations.Migration):
    dependencies = [
        ("corrections", "0010_promotion"),
        ("memory", "0021_plain_names"),
        ("retrieval", "0018_layers"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="QualityTrend",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("indicator", models.CharField(max_length=40)),
                        ("measured_at", models.DateTimeField()),
                        ("value", models.FloatField(null=True)),
                        ("n", models.BigIntegerField()),
                        ("state", models.CharField(max_length=8)),
                        ("pass_limit", models.FloatField()),
                        ("fail_limit", models.FloatField()),
                        ("release", models.CharField(max_length=40)),
                    ],
                    options={"db_table": "quality_trend", "verbose_name": "quality figure"},
                ),
                migrations.CreateModel(
                    name="GovernorAction",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("action", models.CharField(max_length=20)),
                        ("reason", models.CharField(max_length=40)),
                        ("value", models.FloatField()),
                        ("touched", models.IntegerField(default=0)),
                        ("began_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("ended_by", models.CharField(default="", max_length=80)),
                    ],
                    options={"db_table": "governor_action", "verbose_name": "governor action"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0011_quality.sql").read_text(encoding="utf-8"),
                    (SQL / "0011_reverse.sql").read_text(encoding="utf-8"),
                )
            ],
        ),
        *enable_rls("quality_trend"),
        *enable_rls("governor_action"),
        *(
            operation
            for signature in FUNCTIONS
            for operation in restrict_function(signature, roles=(APP_ROLE, WORKER_ROLE))
        ),
    ]
