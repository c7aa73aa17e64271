"""The derived tables and the receipts. Django's state says `message_id` or `id`; the real keys start with the user (D-10)."""

import django.db.models.deletion
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, hide_partition, restrict_function
from retrieval.sql import read_sql


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("retrieval", "0001_initial"),
        ("retrieval", "0002_feedback"),
        ("retrieval", "0003_places"),
        ("retrieval", "0004_no_samples_of_words"),
        ("retrieval", "0005_unproven"),
        ("retrieval", "0006_lexemes"),
        ("retrieval", "0007_accounts"),
        ("retrieval", "0008_dense"),
        ("retrieval", "0009_plain_messages"),
        ("retrieval", "0010_checked_together"),
        ("retrieval", "0011_built_in_embedder"),
        ("retrieval", "0012_receipt_statistics"),
        ("retrieval", "0013_told_apart"),
        ("retrieval", "0014_keyed_hashes"),
        ("retrieval", "0015_outages"),
        ("retrieval", "0016_foreign_keys_again"),
        ("retrieval", "0018_layers"),
        ("retrieval", "0019_chunks"),
        ("retrieval", "0020_said"),
        ("retrieval", "0021_parts"),
    ]

    dependencies = [("memory", "0001_squashed_0023_calibration")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="AnswerFinding",
                    fields=[
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
                    options={
                        "db_table": "answer_finding",
                        "verbose_name": "answer finding",
                    },
                ),
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
                        ("is_computed", models.BooleanField(default=False)),
                    ],
                    options={
                        "verbose_name": "feedback",
                        "verbose_name_plural": "feedback",
                        "db_table": "retrieval_feedback",
                    },
                ),
                migrations.CreateModel(
                    name="MessageIndex",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("conversation_id", models.UUIDField(editable=False)),
                        ("seq", models.IntegerField()),
                        ("session_no", models.IntegerField()),
                        ("role", models.CharField(max_length=16)),
                        ("memory_type", models.CharField(max_length=16)),
                        ("speaker", models.CharField(blank=True, default="", max_length=128)),
                        ("traits", models.SmallIntegerField(default=0)),
                        ("len", models.IntegerField()),
                        ("created_at", models.DateTimeField()),
                        ("received_at", models.DateTimeField()),
                        ("tokeniser", models.SmallIntegerField()),
                        ("lexemes", models.BinaryField(default=b"")),
                        ("more_lexemes", models.BinaryField(null=True)),
                    ],
                    options={
                        "verbose_name": "indexed message",
                        "db_table": "message_index",
                    },
                ),
                migrations.CreateModel(
                    name="MessageSnippet",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("snippet", models.CharField(max_length=120)),
                        ("model", models.CharField(max_length=120)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "snippet",
                        "db_table": "message_snippet",
                    },
                ),
                migrations.CreateModel(
                    name="RankingSnapshot",
                    fields=[
                        ("user_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("version", models.IntegerField()),
                        ("made_at", models.DateTimeField()),
                        ("signals", models.IntegerField()),
                    ],
                    options={
                        "db_table": "ranking_snapshot",
                        "verbose_name": "ranking snapshot",
                    },
                ),
                migrations.CreateModel(
                    name="RetrievalReceipt",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("kind", models.CharField(max_length=16)),
                        ("conversation_id", models.UUIDField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("as_of", models.DateTimeField(blank=True, null=True)),
                        ("query_hash", models.BinaryField(max_length=32, null=True)),
                        ("rendering_hash", models.BinaryField(max_length=32, null=True)),
                        ("language", models.CharField(blank=True, default="", max_length=16)),
                        ("intent", models.CharField(blank=True, default="", max_length=40)),
                        ("policy_version", models.CharField(max_length=80)),
                        ("model_id", models.SmallIntegerField(blank=True, null=True)),
                        ("log_position", models.BigIntegerField(default=0)),
                        (
                            "candidate_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "candidate_scores",
                            ArrayField(base_field=models.FloatField(), default=list, size=None),
                        ),
                        (
                            "chosen_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "chosen_scores",
                            ArrayField(base_field=models.FloatField(), default=list, size=None),
                        ),
                        (
                            "decision_reasons",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        (
                            "guardrail_hits",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        (
                            "span_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "fact_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "recent_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "pending_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "degraded_reasons",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        (
                            "stores",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        ("budget", models.JSONField(default=dict)),
                        ("timings", models.JSONField(default=dict)),
                        (
                            "unproven_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        ("max_tokens", models.IntegerField(blank=True, null=True)),
                        ("mood", models.CharField(blank=True, default="", max_length=40)),
                        ("reply_model", models.CharField(blank=True, default="", max_length=100)),
                        ("tokenizer", models.CharField(blank=True, default="", max_length=80)),
                        ("ranking_version", models.IntegerField(default=0)),
                        (
                            "context_positions",
                            ArrayField(base_field=models.SmallIntegerField(null=True), default=list, size=None),
                        ),
                        (
                            "fact_reasons",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        (
                            "excerpt_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "sanitised_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "sanitiser_outcomes",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        ("context_window", models.IntegerField(blank=True, null=True)),
                        ("has_layers", models.BooleanField(default=False)),
                        (
                            "line_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "episode_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "chunk_ids",
                            ArrayField(base_field=models.BigIntegerField(), default=list, size=None),
                        ),
                        (
                            "line_positions",
                            ArrayField(base_field=models.SmallIntegerField(), default=list, size=None),
                        ),
                        (
                            "line_reasons",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        (
                            "line_episode_ids",
                            ArrayField(base_field=models.UUIDField(null=True), default=list, size=None),
                        ),
                        (
                            "left_out_line_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "chunk_positions",
                            ArrayField(base_field=models.SmallIntegerField(), default=list, size=None),
                        ),
                        (
                            "left_out_chunk_ids",
                            ArrayField(base_field=models.BigIntegerField(), default=list, size=None),
                        ),
                        (
                            "entity_kinds",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        (
                            "entity_message_ids",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        (
                            "entity_positions",
                            ArrayField(base_field=models.SmallIntegerField(null=True), default=list, size=None),
                        ),
                    ],
                    options={
                        "verbose_name": "receipt",
                        "db_table": "retrieval_receipt",
                    },
                ),
                migrations.CreateModel(
                    name="Usefulness",
                    fields=[
                        ("item_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("is_fact", models.BooleanField()),
                        ("from_version", models.IntegerField()),
                        ("until_version", models.IntegerField(blank=True, null=True)),
                        ("score", models.FloatField()),
                        ("weight", models.FloatField()),
                    ],
                    options={
                        "db_table": "usefulness",
                        "verbose_name": "usefulness",
                        "verbose_name_plural": "usefulness",
                    },
                ),
                migrations.CreateModel(
                    name="EmbeddingModel",
                    fields=[
                        ("id", models.SmallAutoField(primary_key=True, serialize=False)),
                        ("name", models.CharField(max_length=120)),
                        ("dimensions", models.IntegerField()),
                        ("is_inline", models.BooleanField()),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("outages", models.SmallIntegerField(default=0)),
                        ("failing_since", models.DateTimeField(blank=True, null=True)),
                        ("resting_until", models.DateTimeField(blank=True, null=True)),
                        ("failure_code", models.CharField(blank=True, default="", max_length=60)),
                    ],
                    options={
                        "verbose_name": "embedding model",
                        "db_table": "embedding_model",
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("name", "dimensions"), name="a_model_is_known_by_its_name_and_dimensions"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EmbeddingTask",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("priority", models.SmallIntegerField(default=1)),
                        ("attempts", models.SmallIntegerField(default=0)),
                        ("available_at", models.DateTimeField()),
                        ("claimed_at", models.DateTimeField(blank=True, null=True)),
                        ("orphaned_at", models.DateTimeField(blank=True, null=True)),
                        ("received_at", models.DateTimeField()),
                        (
                            "model",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="retrieval.embeddingmodel",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "embedding task",
                        "db_table": "embedding_task",
                    },
                ),
                migrations.CreateModel(
                    name="MessageEmbedding",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("dimensions", models.SmallIntegerField()),
                        (
                            "model",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="retrieval.embeddingmodel",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "vector",
                        "db_table": "message_embedding",
                    },
                ),
                migrations.CreateModel(
                    name="SpanThreshold",
                    fields=[
                        ("id", models.SmallAutoField(primary_key=True, serialize=False)),
                        ("language", models.CharField(max_length=16)),
                        ("threshold", models.FloatField()),
                        ("calibrated_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "model",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="retrieval.embeddingmodel",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "span threshold",
                        "db_table": "span_threshold",
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("model", "language"), name="a_model_has_one_threshold_per_language"
                            )
                        ],
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    "".join(map(read_sql, ("0001_tables", "0001_receipts", "0001_functions", "0001_feedback")))
                ),
            ],
        ),
        *enable_rls("message_index"),
        *enable_rls("message_embedding"),
        *enable_rls("embedding_task"),
        *enable_rls("message_snippet"),
        *enable_rls("retrieval_receipt", append_only=True),
        *hide_partition("retrieval_receipt_rest"),
        *enable_rls("retrieval_feedback", append_only=True),
        *enable_rls("answer_finding", append_only=True),
        *enable_rls("ranking_snapshot", append_only=True),
        *enable_rls("usefulness"),
        migrations.RunSQL(read_sql("0001_policies")),
        *restrict_function("claim_embedding_tasks_v1(smallint, timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("plan_embedding_tasks_v1(smallint, timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("count_embedding_tasks_v1()", roles=SERVICE_ROLES),
        *restrict_function("prepare_receipt_partitions_v1(date, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("drop_receipt_partitions_v1(date)", roles=(WORKER_ROLE,)),
        *restrict_function("users_with_new_signals_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("messages_without_snippet_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("sweep_embedding_tasks_v2(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
