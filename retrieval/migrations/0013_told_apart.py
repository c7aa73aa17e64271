"""Receipts say of each part where it stood, why it was there, its words, and what the sanitiser did."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from retrieval.sql import read_sql


def add_list(name: str, base_field: models.Field) -> migrations.AddField:
    """A column with a list, empty in receipts from before."""
    return migrations.AddField("RetrievalReceipt", name, ArrayField(base_field=base_field, default=list, size=None))


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0012_receipt_statistics")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                add_list("context_positions", models.SmallIntegerField(null=True)),
                add_list("fact_reasons", models.TextField()),
                add_list("excerpt_ids", models.UUIDField()),
                add_list("sanitised_ids", models.UUIDField()),
                add_list("sanitiser_outcomes", models.TextField()),
                migrations.AddField("RetrievalReceipt", "context_window", models.IntegerField(blank=True, null=True)),
            ],
            database_operations=[migrations.RunSQL(read_sql("0013_told_apart"), read_sql("0013_reverse"))],
        ),
    ]
