"""The tables of the wing. Django's state says `id`; the real keys start with the corpus (D-10)."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, enable_rls, restrict_function
from retrieval.knowledge.sql import read_sql

TABLES = (
    "knowledge_corpus",
    "knowledge_document",
    "knowledge_entity",
    "knowledge_record",
    "knowledge_chunk",
    "knowledge_posting",
    "knowledge_alias",
    "knowledge_alias_key",
    "knowledge_mention",
    "knowledge_edge",
    "knowledge_title",
    "knowledge_registry_action",
    "knowledge_plan",
    "knowledge_snapshot",
    "ask_turn",
    "knowledge_receipt",
)


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("knowledge", "0001_initial"),
        ("knowledge", "0002_spellings"),
        ("knowledge", "0003_receipts"),
        ("knowledge", "0004_postings"),
        ("knowledge", "0005_statistics"),
        ("knowledge", "0006_terms"),
    ]

    dependencies = [("retrieval", "0001_squashed_0021_parts")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Alias",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("entity_id", models.BigIntegerField()),
                        ("text", models.CharField(max_length=500)),
                        ("folded", models.CharField(max_length=500)),
                        ("kind", models.CharField(max_length=16)),
                        ("status", models.CharField(default="active", max_length=16)),
                    ],
                    options={
                        "verbose_name_plural": "aliases",
                        "db_table": "knowledge_alias",
                    },
                ),
                migrations.CreateModel(
                    name="AliasKey",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("key", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("alias_id", models.BigIntegerField()),
                        ("kind", models.SmallIntegerField()),
                    ],
                    options={
                        "db_table": "knowledge_alias_key",
                    },
                ),
                migrations.CreateModel(
                    name="AnswerReceipt",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("user_id", models.UUIDField(editable=False, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("intent", models.CharField(blank=True, default="", max_length=80)),
                        ("tool", models.CharField(max_length=8)),
                        ("policy", models.CharField(max_length=8)),
                        ("plan_version", models.IntegerField()),
                        ("corpus_version", models.BigIntegerField()),
                        ("is_found", models.BooleanField()),
                        ("is_follow_up", models.BooleanField()),
                        ("confidence", models.FloatField()),
                        ("outcome", models.CharField(max_length=16)),
                        ("fault", models.CharField(blank=True, default="", max_length=24)),
                        ("reply_model", models.CharField(blank=True, default="", max_length=120)),
                        ("language", models.CharField(blank=True, default="", max_length=16)),
                        (
                            "entity_ids",
                            ArrayField(base_field=models.BigIntegerField(), default=list, size=None),
                        ),
                        (
                            "item_ids",
                            ArrayField(base_field=models.BigIntegerField(), default=list, size=None),
                        ),
                        (
                            "chunk_ids",
                            ArrayField(base_field=models.BigIntegerField(), default=list, size=None),
                        ),
                        (
                            "chunk_scores",
                            ArrayField(base_field=models.FloatField(), default=list, size=None),
                        ),
                        (
                            "steps",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        (
                            "degraded_reasons",
                            ArrayField(base_field=models.TextField(), default=list, size=None),
                        ),
                        ("timings", models.JSONField(default=dict)),
                    ],
                    options={
                        "db_table": "knowledge_receipt",
                        "verbose_name": "answer receipt",
                    },
                ),
                migrations.CreateModel(
                    name="AskTurn",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField()),
                        ("conversation", models.CharField(blank=True, default="", max_length=128)),
                        ("conversation_id", models.UUIDField(blank=True, null=True)),
                        ("sealed", models.BinaryField()),
                        ("intent", models.CharField(blank=True, default="", max_length=80)),
                        ("entity_type", models.CharField(blank=True, default="", max_length=64)),
                        ("entity_key", models.CharField(blank=True, default="", max_length=200)),
                        ("asked_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "ask_turn",
                    },
                ),
                migrations.CreateModel(
                    name="Chunk",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("document_id", models.BigIntegerField(blank=True, null=True)),
                        ("record_id", models.BigIntegerField(blank=True, null=True)),
                        ("ordinal", models.IntegerField()),
                        ("start_at", models.IntegerField()),
                        ("end_at", models.IntegerField()),
                        ("title", models.CharField(blank=True, default="", max_length=500)),
                        ("text", models.TextField()),
                        ("words", models.IntegerField()),
                        ("tokeniser", models.SmallIntegerField()),
                    ],
                    options={
                        "db_table": "knowledge_chunk",
                    },
                ),
                migrations.CreateModel(
                    name="Corpus",
                    fields=[
                        ("id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("external_id", models.CharField(max_length=128)),
                        ("name", models.CharField(max_length=200)),
                        ("schema_name", models.CharField(max_length=40)),
                        ("schema", models.JSONField()),
                        ("settings", models.JSONField(default=dict)),
                        ("version", models.BigIntegerField(default=1)),
                        ("registry_version", models.BigIntegerField(default=1)),
                        ("documents", models.IntegerField(default=0)),
                        ("records", models.IntegerField(default=0)),
                        ("chunks", models.IntegerField(default=0)),
                        ("entities", models.IntegerField(default=0)),
                        ("aliases", models.IntegerField(default=0)),
                        ("mentions", models.IntegerField(default=0)),
                        ("edges", models.IntegerField(default=0)),
                        ("last_ingest_at", models.DateTimeField(blank=True, null=True)),
                        ("last_ingest", models.JSONField(default=dict)),
                        ("created_at", models.DateTimeField()),
                        ("updated_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "corpus",
                        "verbose_name_plural": "corpora",
                        "db_table": "knowledge_corpus",
                    },
                ),
                migrations.CreateModel(
                    name="Document",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("external_id", models.CharField(max_length=128)),
                        ("title", models.CharField(blank=True, default="", max_length=500)),
                        ("text", models.TextField()),
                        ("language", models.CharField(blank=True, default="", max_length=16)),
                        ("url", models.CharField(blank=True, default="", max_length=2000)),
                        ("author", models.CharField(blank=True, default="", max_length=200)),
                        ("dated", models.CharField(blank=True, default="", max_length=40)),
                        ("authority", models.FloatField(blank=True, null=True)),
                        ("metadata", models.JSONField(default=dict)),
                        ("version", models.BigIntegerField()),
                        ("ingested_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "knowledge_document",
                    },
                ),
                migrations.CreateModel(
                    name="Edge",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("kind", models.CharField(max_length=64)),
                        ("source_id", models.BigIntegerField()),
                        ("target_id", models.BigIntegerField()),
                        ("record_id", models.BigIntegerField()),
                        ("ordinal", models.IntegerField()),
                        ("reference", models.CharField(max_length=600)),
                        ("valid_from", models.DateTimeField(blank=True, null=True)),
                        ("valid_to", models.DateTimeField(blank=True, null=True)),
                        ("spelling", models.CharField(blank=True, default="", max_length=500)),
                    ],
                    options={
                        "db_table": "knowledge_edge",
                    },
                ),
                migrations.CreateModel(
                    name="Entity",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("type", models.CharField(max_length=64)),
                        ("key", models.CharField(max_length=200)),
                        ("name", models.CharField(max_length=500)),
                        ("fields", models.JSONField(default=dict)),
                        ("is_bare", models.BooleanField(default=False)),
                        ("merged_into_id", models.BigIntegerField(blank=True, null=True)),
                    ],
                    options={
                        "verbose_name_plural": "entities",
                        "db_table": "knowledge_entity",
                    },
                ),
                migrations.CreateModel(
                    name="Mention",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("chunk_id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("start_at", models.IntegerField()),
                        ("end_at", models.IntegerField()),
                        ("entity_id", models.BigIntegerField()),
                        ("match", models.CharField(max_length=10)),
                        ("is_strict", models.BooleanField()),
                        ("surface", models.CharField(max_length=500)),
                    ],
                    options={
                        "db_table": "knowledge_mention",
                    },
                ),
                migrations.CreateModel(
                    name="Plan",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("version", models.IntegerField()),
                        ("state", models.CharField(max_length=8)),
                        ("intents", models.JSONField()),
                        ("note", models.CharField(blank=True, default="", max_length=200)),
                        ("staff_id", models.BigIntegerField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("activated_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "db_table": "knowledge_plan",
                    },
                ),
                migrations.CreateModel(
                    name="Posting",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("term", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("chunk_id", models.BigIntegerField()),
                        ("count", models.SmallIntegerField()),
                    ],
                    options={
                        "db_table": "knowledge_posting",
                    },
                ),
                migrations.CreateModel(
                    name="Record",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("external_id", models.CharField(max_length=128)),
                        ("entity_id", models.BigIntegerField()),
                        ("body", models.JSONField()),
                        ("version", models.BigIntegerField()),
                        ("ingested_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "knowledge_record",
                    },
                ),
                migrations.CreateModel(
                    name="RegistryAction",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("kind", models.CharField(max_length=16)),
                        ("entity_id", models.BigIntegerField()),
                        ("other_id", models.BigIntegerField(blank=True, null=True)),
                        ("text", models.CharField(blank=True, default="", max_length=500)),
                        ("before", models.JSONField(default=dict)),
                        ("reason", models.CharField(blank=True, default="", max_length=200)),
                        ("staff_id", models.BigIntegerField(blank=True, null=True)),
                        ("made_at", models.DateTimeField()),
                        ("undone_at", models.DateTimeField(blank=True, null=True)),
                        ("undone_by", models.BigIntegerField(blank=True, null=True)),
                    ],
                    options={
                        "db_table": "knowledge_registry_action",
                    },
                ),
                migrations.CreateModel(
                    name="Snapshot",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("version", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("made_at", models.DateTimeField()),
                        ("nodes", models.IntegerField()),
                        ("edges", models.IntegerField()),
                        ("data", models.BinaryField()),
                    ],
                    options={
                        "db_table": "knowledge_snapshot",
                    },
                ),
                migrations.CreateModel(
                    name="Title",
                    fields=[
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("corpus_id", models.BigIntegerField(editable=False)),
                        ("document_id", models.BigIntegerField(editable=False, primary_key=True, serialize=False)),
                        ("entity_id", models.BigIntegerField()),
                    ],
                    options={
                        "db_table": "knowledge_title",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    "".join(map(read_sql, ("0001_tables", "0001_counts", "0001_postings", "0001_receipts")))
                ),
            ],
        ),
        *[operation for table in TABLES for operation in enable_rls(table)],
        *restrict_function("list_stale_graphs_v1(integer, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("list_tenants_with_old_questions_v1(timestamptz, timestamptz)", roles=(WORKER_ROLE,)),
    ]
