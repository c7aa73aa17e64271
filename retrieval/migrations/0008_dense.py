"""Indexes of which searches read full pages instead of half-empty ones."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0007_accounts")]

    operations = [migrations.RunSQL(read_sql("0008_dense"), read_sql("0008_reverse"))]
