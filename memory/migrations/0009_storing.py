"""One statement opens a batch of messages, of one or of many (D-6, D-7)."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_plain_messages")]

    operations = [
        migrations.RunSQL(read_sql("0009_storing.sql"), read_sql("0009_storing_reverse.sql")),
        # What it replaces goes. Nothing older is in use anywhere: processes of the state before are restarted with it.
        migrations.RunSQL(read_sql("0005_entering_reverse.sql"), read_sql("0005_entering.sql")),
        migrations.RunSQL(read_sql("0007_entering_together_reverse.sql"), read_sql("0007_entering_together.sql")),
        migrations.RunSQL(read_sql("0008_plain_messages_reverse.sql"), read_sql("0008_plain_messages.sql")),
    ]
