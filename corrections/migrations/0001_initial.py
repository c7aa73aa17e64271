"""The correction log. Django's state says `id` is the primary key; the real one is (user_id, id), made in SQL (D-10)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import enable_rls

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="CorrectionLog",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("trigger_message_id", models.UUIDField(editable=False)),
                        ("corrected_message_id", models.UUIDField(blank=True, editable=False, null=True)),
                        ("deactivated_knowledge_id", models.UUIDField(blank=True, null=True)),
                        ("disputed_knowledge_id", models.UUIDField(blank=True, null=True)),
                        ("set_knowledge_id", models.UUIDField(blank=True, null=True)),
                        ("correction_type", models.CharField(max_length=30)),
                        ("language", models.CharField(max_length=16)),
                        ("golden_status", models.CharField(default="candidate", max_length=16)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "correction",
                        "db_table": "memory_correction_log",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0001_tables.sql"), "DROP TABLE memory_correction_log;"),
            ],
        ),
        *enable_rls("memory_correction_log"),
    ]
