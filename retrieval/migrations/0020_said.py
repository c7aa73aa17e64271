"""What was said of facts is found by tenant: the night that calibrates asks for it."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0019_chunks")]

    operations = [migrations.RunSQL(read_sql("0020_said"), read_sql("0020_reverse"))]
