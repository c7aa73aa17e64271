"""The tables of the wing. Django's state says `id`; the real keys start with the project (D-10)."""

import django.contrib.postgres.fields
from django.db import migrations, models

from memory.projects.sql import read_sql
from memory.tenants.sql import enable_rls

TABLES = (
    "project",
    "project_version",
    "project_item",
    "project_thread",
    "project_artifact",
    "project_source",
    "project_fact",
    "project_evidence",
    "project_decision",
    "project_decision_state",
    "project_link",
    "project_conflict",
    "project_question",
    "project_snapshot",
    "project_run",
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("memory", "0001_squashed_0023_calibration"),
        ("tenants", "0012_squashed_0016_scope_of_opendsr"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='Artifact',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('version', models.IntegerField()),
                        ('kind', models.CharField(max_length=8)),
                        ('sealed', models.BinaryField()),
                        ('terms', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                        ('known_from', models.DateTimeField()),
                        ('known_to', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'db_table': 'project_artifact',
                    },
                ),
                migrations.CreateModel(
                    name='Conflict',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('rule', models.CharField(max_length=10)),
                        ('left_id', models.UUIDField()),
                        ('right_id', models.UUIDField()),
                        ('status', models.CharField(max_length=8)),
                        ('opened_at', models.DateTimeField()),
                        ('resolved_at', models.DateTimeField(blank=True, null=True)),
                        ('kept_id', models.UUIDField(blank=True, null=True)),
                        ('resolution', models.CharField(blank=True, max_length=12, null=True)),
                        ('actor', models.CharField(blank=True, max_length=80, null=True)),
                        ('sealed', models.BinaryField(blank=True, null=True)),
                    ],
                    options={
                        'db_table': 'project_conflict',
                    },
                ),
                migrations.CreateModel(
                    name='Decision',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('version', models.IntegerField()),
                        ('title_key', models.BinaryField(blank=True, null=True)),
                        ('terms', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                        ('sealed', models.BinaryField(blank=True, null=True)),
                        ('decided_at', models.DateTimeField()),
                        ('source_id', models.UUIDField(blank=True, null=True)),
                        ('is_source_erased', models.BooleanField(default=False)),
                        ('known_from', models.DateTimeField()),
                        ('known_to', models.DateTimeField(blank=True, null=True)),
                        ('origin', models.CharField(max_length=10)),
                        ('actor', models.CharField(max_length=80)),
                    ],
                    options={
                        'db_table': 'project_decision',
                    },
                ),
                migrations.CreateModel(
                    name='DecisionState',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('decision_id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('position', models.IntegerField()),
                        ('state', models.CharField(max_length=12)),
                        ('at', models.DateTimeField()),
                        ('known_from', models.DateTimeField()),
                        ('known_to', models.DateTimeField(blank=True, null=True)),
                        ('source_id', models.UUIDField(blank=True, null=True)),
                        ('is_source_erased', models.BooleanField(default=False)),
                        ('superseded_by', models.UUIDField(blank=True, null=True)),
                        ('is_recorded', models.BooleanField(default=False)),
                        ('sealed', models.BinaryField(blank=True, null=True)),
                        ('actor', models.CharField(max_length=80)),
                    ],
                    options={
                        'db_table': 'project_decision_state',
                    },
                ),
                migrations.CreateModel(
                    name='Evidence',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('fact_id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('source_id', models.UUIDField()),
                        ('added_at', models.DateTimeField()),
                    ],
                    options={
                        'db_table': 'project_evidence',
                    },
                ),
                migrations.CreateModel(
                    name='Item',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('kind', models.CharField(max_length=8)),
                        ('external_id', models.CharField(max_length=128)),
                        ('created_at', models.DateTimeField()),
                    ],
                    options={
                        'db_table': 'project_item',
                    },
                ),
                migrations.CreateModel(
                    name='Link',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('from_id', models.UUIDField()),
                        ('to_id', models.UUIDField()),
                        ('kind', models.CharField(max_length=11)),
                        ('weight', models.FloatField()),
                        ('source_id', models.UUIDField(blank=True, null=True)),
                        ('is_supersession', models.BooleanField(default=False)),
                        ('valid_from', models.DateTimeField()),
                        ('valid_to', models.DateTimeField(blank=True, null=True)),
                        ('known_from', models.DateTimeField()),
                        ('known_to', models.DateTimeField(blank=True, null=True)),
                        ('origin', models.CharField(max_length=10)),
                    ],
                    options={
                        'db_table': 'project_link',
                    },
                ),
                migrations.CreateModel(
                    name='Project',
                    fields=[
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('external_id', models.CharField(max_length=128)),
                        ('user_id', models.UUIDField(blank=True, null=True)),
                        ('change', models.BigIntegerField(default=0)),
                        ('snapshots', models.IntegerField(default=0)),
                        ('created_at', models.DateTimeField()),
                        ('updated_at', models.DateTimeField()),
                    ],
                    options={
                        'db_table': 'project',
                    },
                ),
                migrations.CreateModel(
                    name='ProjectFact',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('version', models.IntegerField()),
                        ('level', models.CharField(max_length=16)),
                        ('status', models.CharField(max_length=8)),
                        ('is_exclusive', models.BooleanField()),
                        ('is_negative', models.BooleanField()),
                        ('subject_key', models.BinaryField()),
                        ('value_key', models.BinaryField()),
                        ('stance_key', models.BinaryField()),
                        ('terms', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                        ('sealed', models.BinaryField()),
                        ('source_id', models.UUIDField(blank=True, null=True)),
                        ('valid_from', models.DateTimeField()),
                        ('valid_to', models.DateTimeField(blank=True, null=True)),
                        ('known_from', models.DateTimeField()),
                        ('known_to', models.DateTimeField(blank=True, null=True)),
                        ('origin', models.CharField(max_length=10)),
                        ('actor', models.CharField(max_length=80)),
                    ],
                    options={
                        'db_table': 'project_fact',
                    },
                ),
                migrations.CreateModel(
                    name='ProjectSnapshot',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('version', models.IntegerField()),
                        ('user_id', models.UUIDField(editable=False)),
                        ('change', models.BigIntegerField()),
                        ('cache_key', models.BinaryField()),
                        ('built_at', models.DateTimeField()),
                        ('as_of', models.DateTimeField(blank=True, null=True)),
                        ('known_at', models.DateTimeField(blank=True, null=True)),
                        ('project_version', models.IntegerField()),
                        ('budget_tokens', models.IntegerField()),
                        ('used_tokens', models.IntegerField()),
                        ('entries', models.JSONField()),
                        ('hash', models.BinaryField()),
                    ],
                    options={
                        'db_table': 'project_snapshot',
                    },
                ),
                migrations.CreateModel(
                    name='ProjectVersion',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('version', models.IntegerField(editable=False, primary_key=True, serialize=False)),
                        ('status', models.CharField(max_length=8)),
                        ('sealed', models.BinaryField()),
                        ('terms', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                        ('known_from', models.DateTimeField()),
                        ('known_to', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'db_table': 'project_version',
                    },
                ),
                migrations.CreateModel(
                    name='Question',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('conflict_id', models.UUIDField(blank=True, null=True)),
                        ('source_id', models.UUIDField(blank=True, null=True)),
                        ('sealed', models.BinaryField(blank=True, null=True)),
                        ('key', models.BinaryField()),
                        ('status', models.CharField(max_length=8)),
                        ('opened_at', models.DateTimeField()),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                        ('asked_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'db_table': 'project_question',
                    },
                ),
                migrations.CreateModel(
                    name='Run',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('process', models.CharField(max_length=10)),
                        ('at', models.DateTimeField()),
                        ('milliseconds', models.FloatField()),
                        ('budget_tokens', models.IntegerField(default=0)),
                        ('used_tokens', models.IntegerField(default=0)),
                        ('stated', models.IntegerField(default=0)),
                        ('attributed', models.IntegerField(default=0)),
                        ('cited', models.IntegerField(default=0)),
                        ('hits', models.IntegerField(default=0)),
                        ('refused', models.IntegerField(default=0)),
                    ],
                    options={
                        'db_table': 'project_run',
                    },
                ),
                migrations.CreateModel(
                    name='Source',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('kind', models.CharField(max_length=8)),
                        ('user_id', models.UUIDField(blank=True, null=True)),
                        ('message_id', models.UUIDField(blank=True, null=True)),
                        ('quote_start', models.IntegerField(blank=True, null=True)),
                        ('quote_end', models.IntegerField(blank=True, null=True)),
                        ('artifact_id', models.UUIDField(blank=True, null=True)),
                        ('sealed', models.BinaryField(blank=True, null=True)),
                        ('key', models.BinaryField()),
                        ('dated', models.DateTimeField()),
                        ('authority', models.FloatField(blank=True, null=True)),
                        ('created_at', models.DateTimeField()),
                    ],
                    options={
                        'db_table': 'project_source',
                    },
                ),
                migrations.CreateModel(
                    name='Thread',
                    fields=[
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('project_id', models.UUIDField(editable=False)),
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('user_id', models.UUIDField(editable=False)),
                        ('conversation', models.CharField(max_length=128)),
                        ('scope', models.CharField(max_length=5)),
                        ('is_shared', models.BooleanField(default=False)),
                        ('read_seq', models.IntegerField(default=0)),
                        ('model_seq', models.IntegerField(default=0)),
                        ('bound_at', models.DateTimeField()),
                    ],
                    options={
                        'db_table': 'project_thread',
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0001_tables"), read_sql("0001_reverse")),
                migrations.RunSQL(read_sql("0001_guards"), migrations.RunSQL.noop),
            ],
        ),
        *[operation for table in TABLES for operation in enable_rls(table)],
    ]
