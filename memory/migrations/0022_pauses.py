"""A person may pause their memory (D-38): a moment, and whether new messages are kept meanwhile."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0021_plain_names")]

    operations = [
        migrations.AddField("user", "paused_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("user", "pause_keeps", models.BooleanField(db_default=False, default=False)),
        migrations.RunSQL(read_sql("0022_pauses.sql"), read_sql("0022_pauses_reverse.sql")),
    ]
