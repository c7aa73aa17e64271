"""The tables of the room. Django's state says `id` is the primary key; the real one is (user_id, id), made in SQL (D-10)."""

from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("tenants", "0004_staff_groups")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Action",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("position", models.BigIntegerField()),
                        ("kind", models.CharField(max_length=20)),
                        ("actor", models.CharField(max_length=80)),
                        ("message_id", models.UUIDField(blank=True, null=True)),
                        ("batch_id", models.UUIDField(blank=True, null=True)),
                        ("effects", models.JSONField(default=list)),
                        ("detail", models.JSONField(default=dict)),
                        ("sealed", models.BinaryField(blank=True, null=True)),
                        ("rule_set_version", models.IntegerField(blank=True, null=True)),
                        ("engine_version", models.CharField(max_length=20)),
                        ("said_at", models.DateTimeField()),
                        ("recorded_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "action",
                        "db_table": "memory_action",
                    },
                ),
                migrations.CreateModel(
                    name="Conversation",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("external_id", models.CharField(max_length=128)),
                        ("last_seq", models.IntegerField(default=0)),
                        ("last_message_at", models.DateTimeField(blank=True, null=True)),
                        ("pending_count", models.IntegerField(default=0)),
                        ("pending_since", models.DateTimeField(blank=True, null=True)),
                        ("last_extraction_at", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "conversation",
                        "db_table": "memory_conversation",
                    },
                ),
                migrations.CreateModel(
                    name="FactRow",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("knowledge_type", models.CharField(max_length=40)),
                        ("key_hash", models.BinaryField(max_length=32)),
                        ("sealed", models.BinaryField()),
                        ("version", models.IntegerField(default=1)),
                        ("confidence", models.FloatField()),
                        ("extracted_from", models.CharField(max_length=20)),
                        ("provenance", models.CharField(max_length=20)),
                        ("epistemic_type", models.CharField(default="fact", max_length=20)),
                        ("valid_at", models.DateTimeField()),
                        ("invalid_at", models.DateTimeField(blank=True, null=True)),
                        ("expires_at", models.DateTimeField(blank=True, null=True)),
                        ("last_validated_at", models.DateTimeField()),
                        ("log_position", models.BigIntegerField()),
                        ("action_id", models.UUIDField()),
                        ("superseded_by", models.UUIDField(blank=True, null=True)),
                        ("is_active", models.BooleanField(default=True)),
                        ("is_disputed", models.BooleanField(default=False)),
                        (
                            "evidence_message_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.UUIDField(), default=list, size=None
                            ),
                        ),
                        ("language", models.CharField(blank=True, default="", max_length=16)),
                        ("rule", models.CharField(blank=True, max_length=120, null=True)),
                        ("rule_version", models.IntegerField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("updated_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "fact",
                        "db_table": "user_knowledge",
                    },
                ),
                migrations.CreateModel(
                    name="ForgetBatch",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("status", models.CharField(max_length=16)),
                        ("created_at", models.DateTimeField()),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                        ("restored_at", models.DateTimeField(blank=True, null=True)),
                        ("grace_until", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "verbose_name": "forget",
                        "db_table": "memory_forget_batch",
                    },
                ),
                migrations.CreateModel(
                    name="ForgetItem",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("batch_id", models.UUIDField(editable=False)),
                        ("message_id", models.UUIDField(editable=False)),
                        ("part", models.CharField(max_length=16)),
                        ("sealed", models.BinaryField(blank=True, null=True)),
                    ],
                    options={
                        "verbose_name": "forgotten item",
                        "db_table": "memory_forget_item",
                    },
                ),
                migrations.CreateModel(
                    name="Message",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("conversation_id", models.UUIDField(editable=False)),
                        ("seq", models.IntegerField()),
                        ("client_id", models.CharField(blank=True, max_length=128, null=True)),
                        ("content_hash", models.BinaryField(max_length=32)),
                        ("role", models.CharField(max_length=16)),
                        ("speaker", models.CharField(blank=True, default="", max_length=128)),
                        ("content", models.TextField()),
                        ("blocks", models.JSONField(blank=True, null=True)),
                        ("response_description", models.TextField(blank=True, null=True)),
                        ("memory_type", models.CharField(default="chat", max_length=16)),
                        ("mood", models.CharField(blank=True, default="", max_length=40)),
                        ("metadata", models.JSONField(blank=True, default=dict)),
                        ("language", models.CharField(blank=True, default="", max_length=16)),
                        ("created_at", models.DateTimeField()),
                        ("received_at", models.DateTimeField()),
                        ("reply_to_id", models.UUIDField(blank=True, null=True)),
                        ("replaces_id", models.UUIDField(blank=True, null=True)),
                        ("receipt_id", models.UUIDField(blank=True, null=True)),
                        ("forgotten_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "verbose_name": "message",
                        "db_table": "memory_message",
                    },
                ),
                migrations.CreateModel(
                    name="Tombstone",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("subject_hmac", models.BinaryField(max_length=32)),
                        ("scope", models.CharField(max_length=16)),
                        ("conversation_id", models.UUIDField(blank=True, null=True)),
                        ("message_ids", models.JSONField(blank=True, null=True)),
                        ("said_from", models.DateTimeField(blank=True, null=True)),
                        ("said_to", models.DateTimeField(blank=True, null=True)),
                        ("erased_up_to", models.DateTimeField()),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "tombstone",
                        "db_table": "memory_tombstone",
                    },
                ),
                migrations.CreateModel(
                    name="User",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("external_id", models.CharField(max_length=128)),
                        ("log_position", models.BigIntegerField(default=0)),
                        ("fenced_at", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "user",
                        "db_table": "memory_user",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    read_sql("0001_tables.sql") + read_sql("0001_functions.sql"), read_sql("0001_tables_reverse.sql")
                ),
            ],
        ),
        *enable_rls("memory_user"),
        *enable_rls("memory_conversation"),
        *enable_rls("memory_message"),
        *enable_rls("memory_action", append_only=True),
        *enable_rls("user_knowledge"),
        *enable_rls("memory_forget_batch"),
        *enable_rls("memory_forget_item"),
        *enable_rls("memory_tombstone", append_only=True),
        *restrict_function("claim_expired_facts_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("claim_overdue_forgets_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
