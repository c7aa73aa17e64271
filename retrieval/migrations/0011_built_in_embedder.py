"""The built-in embedder of vectors of 256 numbers is known from the start."""

from django.db import migrations

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0010_checked_together")]

    # A model that is known stays known (0010): taken back, it is one that nobody asks.
    operations = [migrations.RunSQL(read_sql("0011_built_in_embedder"), migrations.RunSQL.noop)]
