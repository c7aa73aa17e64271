"""Runs of the offline measures, and notices before a rule is held back (SPEC Q-3, X-4)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import APP_ROLE, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"
FUNCTIONS = ("read_offline_languages_v1()", "count_precision_v1(timestamptz, integer)")


class Migration(migrations.Migration):
    dependencies = [("corrections", "0012_calibration")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
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
                    options={"db_table": "quality_run", "verbose_name": "run of an offline measure"},
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
                    options={"db_table": "corrections_rule_warning", "verbose_name": "warning about a rule"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0013_offline.sql").read_text(encoding="utf-8"),
                    (SQL / "0013_reverse.sql").read_text(encoding="utf-8"),
                )
            ],
        ),
        *enable_rls("quality_run"),
        *enable_rls("corrections_rule_warning"),
        *(
            operation
            for signature in FUNCTIONS
            for operation in restrict_function(signature, roles=(APP_ROLE, WORKER_ROLE))
        ),
    ]
