"""Facts of rules that were taken back; the table is made in SQL (D-10)."""

from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_replayed_runs")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="FactJob",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("kind", models.CharField(max_length=8)),
                        ("rule", models.CharField(max_length=120)),
                        (
                            "rule_versions",
                            django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None),
                        ),
                        ("of_job_id", models.UUIDField(null=True)),
                        ("has_all_users", models.BooleanField(default=False)),
                        ("state", models.CharField(default="queued", max_length=9)),
                        ("requested_by", models.CharField(max_length=80)),
                        ("users_total", models.IntegerField(null=True)),
                        ("users_done", models.IntegerField(default=0)),
                        ("users_left_out", models.IntegerField(default=0)),
                        ("counts", models.JSONField(default=dict)),
                        ("error_code", models.CharField(blank=True, default="", max_length=40)),
                        ("cursor_id", models.UUIDField(null=True)),
                        ("created_at", models.DateTimeField()),
                        ("heartbeat_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "db_table": "memory_fact_job",
                        "verbose_name": "work on facts",
                        "verbose_name_plural": "work on facts",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0013_withdrawals.sql").read_text(encoding="utf-8"),
                    (SQL / "0013_withdrawals_reverse.sql").read_text(encoding="utf-8"),
                ),
            ],
        ),
        *enable_rls("memory_fact_job"),
        *restrict_function("claim_fact_jobs_v1(timestamptz, timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
