"""Postings are checked against their chunks once a statement, not row by row."""

from django.db import migrations

from retrieval.knowledge.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0003_receipts")]

    operations = [migrations.RunSQL(read_sql("0004_postings"), read_sql("0004_reverse"))]
