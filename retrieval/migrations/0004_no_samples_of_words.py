"""No sample of what people wrote in the planner's statistics (SPEC G-3)."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0003_places")]

    operations = [migrations.RunSQL(read_sql("0004_no_samples"), read_sql("0004_reverse"))]
