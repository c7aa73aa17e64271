"""The users of a batch are entered in one transaction, without waiting for a lock while others are held (D-6, D-7)."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_extraction_figures")]

    operations = [migrations.RunSQL(read_sql("0007_entering_together.sql"), read_sql("0007_entering_together_reverse.sql"))]
