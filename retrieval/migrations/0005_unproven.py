"""Receipts name the candidates and adaptive items that a pack showed."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0004_no_samples_of_words")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField(
                    "RetrievalReceipt",
                    "unproven_ids",
                    ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    read_sql("0005_unproven"), "ALTER TABLE retrieval_receipt DROP COLUMN unproven_ids"
                ),
            ],
        ),
    ]
