"""The tables of the room. Django's state says `id` is the primary key; the real one is made in SQL (D-10)."""

from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / f"{name}.sql").read_text(encoding="utf-8")


FILES = (
    "0001_tables",
    "0001_backtests",
    "0001_review",
    "0001_promotion",
    "0001_quality",
    "0001_calibration",
    "0001_offline",
)
FUNCTIONS = (
    "read_quality_v1()",
    "count_governor_actions_v1()",
    "count_embedding_priorities_v1()",
    "measure_pending_extractions_v1()",
    "count_review_errors_v1(timestamptz)",
    "count_facts_to_remove_v1()",
    "read_offline_languages_v1()",
    "count_precision_v1(timestamptz, integer)",
)


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("corrections", "0001_initial"),
        ("corrections", "0002_backtests"),
        ("corrections", "0003_review"),
        ("corrections", "0004_message_cases"),
        ("corrections", "0006_review_work"),
        ("corrections", "0009_retold_cases"),
        ("corrections", "0010_promotion"),
        ("corrections", "0011_quality"),
        ("corrections", "0012_calibration"),
        ("corrections", "0013_offline"),
    ]

    dependencies = [("memory", "0001_squashed_0023_calibration"), ("retrieval", "0001_squashed_0021_parts")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Backtest",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("subject_kind", models.CharField(max_length=5)),
                        ("subject_id", models.UUIDField()),
                        ("version_id", models.UUIDField()),
                        ("requested_by", models.CharField(max_length=64)),
                        ("messages_per_language", models.IntegerField()),
                        ("state", models.CharField(default="queued", max_length=9)),
                        ("cursor_id", models.UUIDField(null=True)),
                        ("scanned", models.IntegerField(default=0)),
                        ("counts", models.JSONField(default=dict)),
                        ("rule_set_version", models.BigIntegerField(null=True)),
                        ("error_code", models.CharField(blank=True, default="", max_length=40)),
                        ("created_at", models.DateTimeField()),
                        ("heartbeat_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "db_table": "corrections_backtest",
                    },
                ),
                migrations.CreateModel(
                    name="BacktestSample",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("backtest_id", models.UUIDField(editable=False)),
                        ("message_id", models.UUIDField(editable=False)),
                        ("change", models.CharField(max_length=10)),
                        ("knowledge_type", models.CharField(max_length=20)),
                        ("language", models.CharField(max_length=16)),
                        ("first_character", models.IntegerField()),
                        ("last_character", models.IntegerField()),
                    ],
                    options={
                        "db_table": "corrections_backtest_sample",
                    },
                ),
                migrations.CreateModel(
                    name="CalibrationNight",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("night", models.DateField()),
                        ("began_at", models.DateTimeField()),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("last_user_id", models.UUIDField(null=True)),
                        ("users", models.IntegerField(default=0)),
                        ("left_out", models.IntegerField(default=0)),
                        ("raised", models.IntegerField(default=0)),
                        ("lowered", models.IntegerField(default=0)),
                        ("to_remove", models.IntegerField(default=0)),
                        ("merged", models.IntegerField(default=0)),
                    ],
                    options={
                        "db_table": "calibration_night",
                        "verbose_name": "night of calibration",
                    },
                ),
                migrations.CreateModel(
                    name="CorrectionLog",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("trigger_message_id", models.UUIDField(editable=False)),
                        ("corrected_message_id", models.UUIDField(blank=True, editable=False, null=True)),
                        ("deactivated_knowledge_id", models.UUIDField(blank=True, null=True)),
                        ("disputed_knowledge_id", models.UUIDField(blank=True, null=True)),
                        ("set_knowledge_id", models.UUIDField(blank=True, null=True)),
                        ("correction_type", models.CharField(max_length=30)),
                        ("language", models.CharField(max_length=16)),
                        ("golden_status", models.CharField(default="candidate", max_length=16)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "correction",
                        "db_table": "memory_correction_log",
                    },
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
                    options={
                        "db_table": "corrections_golden_case",
                    },
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
                    options={
                        "db_table": "governor_action",
                        "verbose_name": "governor action",
                    },
                ),
                migrations.CreateModel(
                    name="MessageCase",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("item_id", models.UUIDField(editable=False)),
                        ("language", models.CharField(max_length=16)),
                        ("content", models.JSONField()),
                        ("written_by", models.CharField(max_length=80)),
                        ("written_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "corrections_message_case",
                    },
                ),
                migrations.CreateModel(
                    name="PromotionEvidence",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("proposal_id", models.UUIDField(editable=False)),
                        ("sealed", models.BinaryField()),
                        ("seen", models.IntegerField()),
                        ("found_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "promotion_evidence",
                    },
                ),
                migrations.CreateModel(
                    name="PromotionProposal",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("knowledge_type", models.CharField(max_length=40)),
                        ("value", models.CharField(max_length=200)),
                        ("confidence", models.FloatField()),
                        ("seen", models.IntegerField()),
                        ("users", models.IntegerField()),
                        ("sessions", models.IntegerField()),
                        ("conflict", models.FloatField()),
                        ("state", models.CharField(default="pending", max_length=8)),
                        ("corpus", models.CharField(blank=True, default="", max_length=128)),
                        ("staff_id", models.BigIntegerField(blank=True, null=True)),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("updated_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "promotion_proposal",
                    },
                ),
                migrations.CreateModel(
                    name="QualityRun",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("indicator", models.CharField(max_length=40)),
                        ("share", models.FloatField()),
                        ("began_at", models.DateTimeField()),
                        ("worked_at", models.DateTimeField()),
                        ("after_id", models.UUIDField(null=True)),
                        ("users", models.IntegerField(default=0)),
                        ("skipped", models.IntegerField(default=0)),
                        ("counts", models.JSONField(default=dict)),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "db_table": "quality_run",
                        "verbose_name": "run of an offline measure",
                    },
                ),
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
                    options={
                        "db_table": "quality_trend",
                        "verbose_name": "quality figure",
                    },
                ),
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
                        (
                            "evidence_message_ids",
                            ArrayField(base_field=models.UUIDField(), size=None),
                        ),
                        ("reviewers_wanted", models.SmallIntegerField(default=1)),
                        ("state", models.CharField(default="waiting", max_length=8)),
                        ("verdict", models.CharField(max_length=16, null=True)),
                        ("decided_at", models.DateTimeField(null=True)),
                        ("locked_by", models.CharField(blank=True, default="", max_length=80)),
                        ("locked_until", models.DateTimeField(null=True)),
                        (
                            "skipped_by",
                            ArrayField(base_field=models.CharField(max_length=80), default=list, size=None),
                        ),
                        ("created_at", models.DateTimeField()),
                        ("assigned_to", models.CharField(blank=True, default="", max_length=80)),
                    ],
                    options={
                        "db_table": "corrections_review_item",
                    },
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
                        ("remark", models.BinaryField(null=True)),
                    ],
                    options={
                        "db_table": "corrections_review_verdict",
                    },
                ),
                migrations.CreateModel(
                    name="RuleWarning",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("rule", models.CharField(max_length=120)),
                        ("rule_version", models.IntegerField()),
                        ("judged", models.IntegerField()),
                        ("right_count", models.IntegerField()),
                        ("warned_at", models.DateTimeField()),
                        ("due_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("ended_by", models.CharField(default="", max_length=80)),
                        ("outcome", models.CharField(default="", max_length=12)),
                    ],
                    options={
                        "db_table": "corrections_rule_warning",
                        "verbose_name": "warning about a rule",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL("".join(map(read_sql, FILES))),
            ],
        ),
        *enable_rls("memory_correction_log"),
        *enable_rls("corrections_backtest"),
        *enable_rls("corrections_backtest_sample"),
        *enable_rls("corrections_review_item"),
        *enable_rls("corrections_review_verdict"),
        *enable_rls("corrections_golden_case"),
        *enable_rls("corrections_message_case"),
        *enable_rls("promotion_proposal"),
        *enable_rls("promotion_evidence"),
        *enable_rls("quality_trend"),
        *enable_rls("governor_action"),
        *enable_rls("calibration_night"),
        *enable_rls("quality_run"),
        *enable_rls("corrections_rule_warning"),
        *[op for signature in FUNCTIONS for op in restrict_function(signature, roles=SERVICE_ROLES)],
    ]
