"""Golden cases of single messages, and the index of the list of samples."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import enable_rls

SQL = Path(__file__).resolve().parent.parent / "sql"
REVERSE = "DROP INDEX items_of_a_tenant; DROP TABLE corrections_message_case;"


class Migration(migrations.Migration):
    dependencies = [("corrections", "0003_review")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="MessageCase",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("item_id", models.UUIDField(editable=False)),
                        ("language", models.CharField(max_length=16)),
                        ("content", models.JSONField()),
                        ("written_by", models.CharField(max_length=80)),
                        ("written_at", models.DateTimeField()),
                    ],
                    options={"db_table": "corrections_message_case"},
                ),
            ],
            database_operations=[
                migrations.RunSQL((SQL / "0004_message_cases.sql").read_text(encoding="utf-8"), REVERSE),
            ],
        ),
        *enable_rls("corrections_message_case"),
    ]
