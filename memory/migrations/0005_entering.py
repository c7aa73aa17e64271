"""A group of one user's messages learns all it needs to know in one statement (D-6, D-7)."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_adaptive_items")]

    operations = [migrations.RunSQL(read_sql("0005_entering.sql"), read_sql("0005_entering_reverse.sql"))]
