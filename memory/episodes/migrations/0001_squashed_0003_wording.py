"""The tables of the wing. Django's state says `id`; the real keys start with the user (D-10)."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.episodes.sql import read_sql
from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, restrict_function


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("episodes", "0001_initial"),
        ("episodes", "0002_night"),
        ("episodes", "0003_wording"),
    ]

    dependencies = [("memory", "0001_squashed_0023_calibration")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Episode",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("conversation_id", models.UUIDField(editable=False)),
                        ("session_started_at", models.DateTimeField()),
                        ("started_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField()),
                        ("message_count", models.IntegerField()),
                        ("sealed", models.BinaryField()),
                        ("made_by", models.CharField(blank=True, default="", max_length=120)),
                        ("version", models.IntegerField()),
                        ("is_kept", models.BooleanField(default=False)),
                        ("layer", models.CharField(default="hot", max_length=4)),
                        ("priority", models.FloatField(default=0.3)),
                        (
                            "parts",
                            ArrayField(base_field=models.FloatField(), default=list, size=None),
                        ),
                        (
                            "anchored_by",
                            ArrayField(base_field=models.CharField(max_length=16), default=list, size=None),
                        ),
                        ("access_count", models.IntegerField(default=0)),
                        ("last_accessed_at", models.DateTimeField(blank=True, null=True)),
                        ("continues_from", models.UUIDField(blank=True, null=True)),
                        (
                            "related_to",
                            ArrayField(base_field=models.UUIDField(), default=list, size=None),
                        ),
                        ("cut_at", models.DateTimeField()),
                        ("layered_at", models.DateTimeField(blank=True, null=True)),
                        ("worded_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "db_table": "episode",
                    },
                ),
                migrations.CreateModel(
                    name="EpisodeAccess",
                    fields=[
                        ("episode_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("day", models.DateField()),
                        ("accesses", models.IntegerField()),
                        ("last_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "episode_access",
                    },
                ),
                migrations.CreateModel(
                    name="EpisodeMessage",
                    fields=[
                        ("message_id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("episode_id", models.UUIDField()),
                        ("place", models.SmallIntegerField()),
                    ],
                    options={
                        "db_table": "episode_message",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0001_tables") + read_sql("0001_functions")),
            ],
        ),
        *[operation for table in ("episode", "episode_message", "episode_access") for operation in enable_rls(table)],
        *restrict_function("claim_unlayered_users_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("count_episodes_v1(timestamptz, integer[])", roles=SERVICE_ROLES),
        *restrict_function("claim_unworded_episodes_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
