"""Lexemes of a message's own in place of tsvectors with those of its neighbours; going back means indexing anew."""

from django.db import migrations, models

from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0005_unproven")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("messageindex", "head"),
                migrations.RemoveField("messageindex", "tsv"),
                migrations.AddField("messageindex", "lexemes", models.BinaryField(default=b"")),
                migrations.AddField("messageindex", "more_lexemes", models.BinaryField(null=True)),
            ],
            database_operations=[migrations.RunSQL(read_sql("0006_lexemes"), read_sql("0006_lexemes_reverse"))],
        )
    ]
