"""Hashes in receipts are under the user's key; those from before are dropped (D-52)."""

from django.db import migrations, models

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0013_told_apart")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "RetrievalReceipt", "query_hash", models.BinaryField(max_length=32, null=True)
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0014_keyed_hashes"), read_sql("0014_reverse"))],
        ),
    ]
