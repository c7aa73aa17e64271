"""The index of a message that is stored in one call is written in one call too."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0008_dense"), ("memory", "0008_plain_messages")]

    operations = [migrations.RunSQL(read_sql("0009_plain_messages"), read_sql("0009_reverse"))]
