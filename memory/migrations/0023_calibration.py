"""Adjustments of confidence and merged items in the action log; items that were merged, denied or kept apart (P-9)."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0022_pauses")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("adaptiveitem", "merged_into", models.UUIDField(blank=True, null=True)),
                migrations.AddField("adaptiveitem", "is_apart", models.BooleanField(db_default=False, default=False)),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0023_calibration.sql").read_text(encoding="utf-8"),
                    (SQL / "0023_calibration_reverse.sql").read_text(encoding="utf-8"),
                )
            ],
        ),
    ]
