"""Receipts have no statistics of words and lists, in partitions to come neither."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0011_built_in_embedder")]

    operations = [migrations.RunSQL(read_sql("0012_receipt_statistics"), read_sql("0012_reverse"))]
