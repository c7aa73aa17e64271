"""What index rows and vectors belong to is checked once a statement."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0009_plain_messages")]

    operations = [migrations.RunSQL(read_sql("0010_checked_together"), read_sql("0010_reverse"))]
