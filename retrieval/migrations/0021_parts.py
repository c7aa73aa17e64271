"""Receipts give lines of summaries, passages of knowledge and entities a place and a reason."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from retrieval.sql import read_sql


def add_list(name: str, base: Any) -> migrations.AddField:
    return migrations.AddField("RetrievalReceipt", name, ArrayField(base_field=base, default=list, size=None))


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0020_said")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                add_list("line_positions", models.SmallIntegerField()),
                add_list("line_reasons", models.TextField()),
                add_list("line_episode_ids", models.UUIDField(null=True)),
                add_list("left_out_line_ids", models.UUIDField()),
                add_list("chunk_positions", models.SmallIntegerField()),
                add_list("left_out_chunk_ids", models.BigIntegerField()),
                add_list("entity_kinds", models.TextField()),
                add_list("entity_message_ids", models.UUIDField()),
                add_list("entity_positions", models.SmallIntegerField(null=True)),
            ],
            database_operations=[migrations.RunSQL(read_sql("0021_parts"), read_sql("0021_reverse"))],
        ),
    ]
