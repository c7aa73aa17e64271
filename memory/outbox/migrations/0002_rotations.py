"""Which request changed a webhook's secret last."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("outbox", "0001_outbox")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("webhookendpoint", "rotation_digest", models.BinaryField(max_length=32, null=True)),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0002_rotations.sql").read_text(encoding="utf-8"),
                    (SQL / "0002_rotations_reverse.sql").read_text(encoding="utf-8"),
                )
            ],
        ),
    ]
