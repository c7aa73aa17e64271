"""A function that nothing calls any more."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0001_squashed_0021_parts")]

    # Installations that began with 0001_squashed do not have it.
    operations = [migrations.RunSQL("DROP FUNCTION IF EXISTS sweep_embedding_tasks_v1")]
