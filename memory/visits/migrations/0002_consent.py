"""A link may let its person say what they agree to."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("visits", "0001_initial")]

    operations = [migrations.RunSQL(read_sql("0002_consent.sql"), read_sql("0002_reverse.sql"))]
