"""A chunk keeps its terms; the index of postings by chunk goes."""

from django.db import migrations

from retrieval.knowledge.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0005_statistics")]

    operations = [migrations.RunSQL(read_sql("0006_terms"), read_sql("0006_reverse"))]
