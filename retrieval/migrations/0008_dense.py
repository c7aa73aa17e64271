"""Indexes of which searches read full pages instead of half-empty ones."""

from django.db import migrations

from retrieval.sql import read_sql


def list_paragraphs(name: str) -> list[str]:
    """The paragraphs of a file, each of which is a transaction of its own."""
    return read_sql(name).split("\n\n")


class Migration(migrations.Migration):
    atomic = False  # what is built concurrently is built outside of a transaction

    dependencies = [("retrieval", "0007_accounts")]

    # Taken back from the last to the first: built before names change, there too.
    operations = [
        migrations.RunSQL(list_paragraphs("0008_build"), list_paragraphs("0008_reverse")),
        migrations.RunSQL(list_paragraphs("0008_dense"), list_paragraphs("0008_reverse_build")),
    ]
