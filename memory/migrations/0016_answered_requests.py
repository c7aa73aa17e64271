"""Answers to writes that carried an Idempotency-Key. Keys as in D-10, made in SQL."""

from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0015_erasures_in_files")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="AnsweredRequest",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("key_digest", models.BinaryField(max_length=32)),
                        ("request_digest", models.BinaryField(max_length=32)),
                        ("status", models.SmallIntegerField()),
                        ("sealed", models.BinaryField(null=True)),
                        ("message_ids", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                        ("created_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                    ],
                    options={"verbose_name": "answered request", "db_table": "answered_request"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    read_sql("0016_answered_requests.sql"), read_sql("0016_answered_requests_reverse.sql")
                ),
            ],
        ),
        *enable_rls("answered_request"),
        *restrict_function("claim_expired_answers_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
