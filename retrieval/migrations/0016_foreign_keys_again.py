"""Index rows and vectors are held by foreign keys again (D-36): what 0010 put in their place goes."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0015_outages")]

    operations = [
        migrations.RunSQL(read_sql("0010_reverse"), read_sql("0010_checked_together")),
        # One message is indexed by the statement for any number of them.
        migrations.RunSQL(read_sql("0009_reverse"), read_sql("0009_plain_messages")),
    ]
