"""How each reference spells the other end of its edge: what a bare node is called."""

from django.db import migrations, models

from retrieval.knowledge.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("edge", "spelling", models.CharField(blank=True, default="", max_length=500)),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0002_spellings"), "ALTER TABLE knowledge_edge DROP COLUMN spelling"),
            ],
        ),
    ]
