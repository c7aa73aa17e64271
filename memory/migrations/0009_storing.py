"""One statement opens a batch of messages, of one or of many (D-6, D-7)."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_plain_messages")]

    operations = [migrations.RunSQL(read_sql("0009_storing.sql"), read_sql("0009_storing_reverse.sql"))]
