"""Visits of an export can be taken over: without secrets, for the record."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("visits", "0002_consent")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField("visit", "key_id", models.UUIDField(editable=False, null=True)),
                migrations.AlterField("visit", "link_hash", models.BinaryField(max_length=32, null=True)),
            ],
            database_operations=[migrations.RunSQL(read_sql("0003_taken_over.sql"), read_sql("0003_reverse.sql"))],
        )
    ]
