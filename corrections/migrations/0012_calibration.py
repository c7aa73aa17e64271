"""Nights of calibration: how far each has come, and what it did (SPEC P-9)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import APP_ROLE, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [
        ("corrections", "0011_quality"),
        ("memory", "0023_calibration"),
        ("retrieval", "0020_said"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
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
                    options={"db_table": "calibration_night", "verbose_name": "night of calibration"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0012_calibration.sql").read_text(encoding="utf-8"),
                    (SQL / "0012_reverse.sql").read_text(encoding="utf-8"),
                )
            ],
        ),
        *enable_rls("calibration_night"),
        *restrict_function("count_facts_to_remove_v1()", roles=(APP_ROLE, WORKER_ROLE)),
    ]
