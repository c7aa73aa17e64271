"""No statistics of corpora: a corpus that is new looks like any other to the planner."""

from django.db import migrations

from retrieval.knowledge.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0004_postings")]

    operations = [migrations.RunSQL(read_sql("0005_statistics"), read_sql("0005_reverse"))]
