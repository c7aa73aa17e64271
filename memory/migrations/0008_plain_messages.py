"""A message that touches no fact is stored in one call (D-6)."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_entering_together")]

    operations = [migrations.RunSQL(read_sql("0008_plain_messages.sql"), read_sql("0008_plain_messages_reverse.sql"))]
