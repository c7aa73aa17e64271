"""Outages of a provider of vectors are kept apart from messages that it refuses (SPEC E-2)."""

from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, restrict_function
from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0014_keyed_hashes")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("EmbeddingModel", "outages", models.SmallIntegerField(default=0)),
                migrations.AddField("EmbeddingModel", "failing_since", models.DateTimeField(null=True, blank=True)),
                migrations.AddField("EmbeddingModel", "resting_until", models.DateTimeField(null=True, blank=True)),
                migrations.AddField(
                    "EmbeddingModel", "failure_code", models.CharField(max_length=60, blank=True, default="")
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0015_outages"), read_sql("0015_reverse"))],
        ),
        *restrict_function("sweep_embedding_tasks_v2(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
