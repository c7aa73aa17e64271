"""Opening a batch says whether a user has tastes and habits, and asks for each known user once."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql" / "0002_open_batch.sql"


class Migration(migrations.Migration):
    dependencies = [("consents", "0001_initial")]

    operations = [migrations.RunSQL(SQL.read_text(encoding="utf-8"))]
