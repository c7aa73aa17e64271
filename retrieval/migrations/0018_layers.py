"""Receipts name the episodes of a pack."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0016_foreign_keys_again")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("RetrievalReceipt", "has_layers", models.BooleanField(default=False)),
                migrations.AddField(
                    "RetrievalReceipt", "line_ids", ArrayField(base_field=models.UUIDField(), default=list, size=None)
                ),
                migrations.AddField(
                    "RetrievalReceipt",
                    "episode_ids",
                    ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0018_layers"), read_sql("0018_reverse"))],
        ),
    ]
