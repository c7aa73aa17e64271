"""Indexes that answer a search without the rows, and policies that read the tenant once a statement."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0002_feedback")]

    operations = [migrations.RunSQL(read_sql("0003_places"), read_sql("0003_reverse"))]
