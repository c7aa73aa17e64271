"""Receipts that replay exactly, what replies gave away, and usefulness in versions."""

from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, enable_rls, restrict_function
from retrieval.sql import read_sql


def make_state(name: str, fields: list, table: str, verbose_name: str, plural: str | None = None):
    """One table as Django knows it."""
    options = {"db_table": table, "verbose_name": verbose_name}
    if plural:
        options["verbose_name_plural"] = plural
    return migrations.CreateModel(name=name, fields=fields, options=options)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0006_lexemes"), ("tenants", "0001_roles")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("RetrievalReceipt", "max_tokens", models.IntegerField(blank=True, null=True)),
                migrations.AddField(
                    "RetrievalReceipt", "mood", models.CharField(blank=True, default="", max_length=40)
                ),
                migrations.AddField(
                    "RetrievalReceipt", "reply_model", models.CharField(blank=True, default="", max_length=100)
                ),
                migrations.AddField(
                    "RetrievalReceipt", "tokenizer", models.CharField(blank=True, default="", max_length=80)
                ),
                migrations.AddField("RetrievalReceipt", "ranking_version", models.IntegerField(default=0)),
                migrations.AddField("Feedback", "is_computed", models.BooleanField(default=False)),
                make_state(
                    "AnswerFinding",
                    [
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("receipt_id", models.UUIDField()),
                        ("assistant_message_id", models.UUIDField()),
                        ("code", models.CharField(max_length=32)),
                        ("message_id", models.UUIDField(blank=True, null=True)),
                        ("fact_id", models.UUIDField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                    ],
                    "answer_finding",
                    "answer finding",
                ),
                make_state(
                    "RankingSnapshot",
                    [
                        ("user_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("version", models.IntegerField()),
                        ("made_at", models.DateTimeField()),
                        ("signals", models.IntegerField()),
                    ],
                    "ranking_snapshot",
                    "ranking snapshot",
                ),
                make_state(
                    "Usefulness",
                    [
                        ("item_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("is_fact", models.BooleanField()),
                        ("from_version", models.IntegerField()),
                        ("until_version", models.IntegerField(blank=True, null=True)),
                        ("score", models.FloatField()),
                        ("weight", models.FloatField()),
                    ],
                    "usefulness",
                    "usefulness",
                    "usefulness",
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0007_accounts"), read_sql("0007_reverse"))],
        ),
        *enable_rls("answer_finding", append_only=True),
        *enable_rls("ranking_snapshot", append_only=True),
        *enable_rls("usefulness"),
        *restrict_function("users_with_new_signals_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("messages_without_snippet_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
