"""Receipts name the chunks of knowledge of a pack."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0018_layers")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField(
                    "RetrievalReceipt",
                    "chunk_ids",
                    ArrayField(base_field=models.BigIntegerField(), default=list, size=None),
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0019_chunks"), read_sql("0019_reverse"))],
        ),
    ]
