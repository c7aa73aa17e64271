"""Backtests and their samples; the tables are made in SQL (D-10)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import enable_rls

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("corrections", "0001_initial")]

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
                    options={"db_table": "corrections_backtest"},
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
                    options={"db_table": "corrections_backtest_sample"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0002_backtests.sql").read_text(encoding="utf-8"),
                    "DROP TABLE corrections_backtest_sample; DROP TABLE corrections_backtest;",
                ),
            ],
        ),
        *enable_rls("corrections_backtest"),
        *enable_rls("corrections_backtest_sample"),
    ]
