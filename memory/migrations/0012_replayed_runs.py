"""What a run was judged by, so that a rebuild can judge its answer again (SPEC M-4)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_storing")]

    operations = [
        migrations.AddField("ExtractionRun", "log_position", models.BigIntegerField(null=True, blank=True)),
        migrations.AddField("ExtractionRun", "rule_set_version", models.BigIntegerField(null=True, blank=True)),
        migrations.AddField(
            "ExtractionRun",
            "engine_version",
            models.CharField(max_length=16, blank=True, default="", db_default=""),
        ),
    ]
