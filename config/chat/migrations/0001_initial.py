"""The table of turns. The key is made in SQL (D-10)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import enable_rls

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_squashed_0023_calibration"), ("tenants", "0012_squashed_0016_scope_of_opendsr")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="ChatTurn",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("message_id", models.UUIDField(editable=False)),
                        ("state", models.CharField(max_length=8)),
                        ("claim", models.UUIDField()),
                        ("claimed_until", models.DateTimeField()),
                        ("tries", models.IntegerField(default=1)),
                        ("failure", models.CharField(blank=True, default="", max_length=60)),
                        ("reply_id", models.UUIDField(null=True)),
                        ("receipt_id", models.UUIDField(null=True)),
                        ("skill", models.CharField(blank=True, default="", max_length=100)),
                        ("skill_status", models.CharField(blank=True, default="", max_length=12)),
                        ("skill_code", models.CharField(blank=True, default="", max_length=60)),
                        ("skill_ms", models.IntegerField(default=0)),
                        ("sealed", models.BinaryField(null=True)),
                        ("started_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                    ],
                    options={"verbose_name": "turn of a conversation", "db_table": "chat_turn"},
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0001_tables.sql"), read_sql("0001_reverse.sql"))],
        ),
        *enable_rls("chat_turn"),
    ]
