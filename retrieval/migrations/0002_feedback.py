"""Signals about what packs carried (SPEC C-4)."""

from django.db import migrations, models

from memory.tenants.sql import enable_rls
from retrieval.sql import read_sql


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Feedback",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("receipt_id", models.UUIDField()),
                        ("assistant_message_id", models.UUIDField(blank=True, null=True)),
                        ("message_id", models.UUIDField(blank=True, null=True)),
                        ("fact_id", models.UUIDField(blank=True, null=True)),
                        ("signal", models.CharField(max_length=16)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "feedback",
                        "verbose_name_plural": "feedback",
                        "db_table": "retrieval_feedback",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0002_feedback"), "DROP TABLE retrieval_feedback"),
            ],
        ),
        *enable_rls("retrieval_feedback", append_only=True),
    ]
