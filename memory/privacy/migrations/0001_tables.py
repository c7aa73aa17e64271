"""The tables of privacy requests. Keys start with the tenant, made in SQL (D-10)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"
WORKERS_ONLY = (
    "claim_privacy_requests_v1(timestamptz, timestamptz, integer)",
    "claim_privacy_callbacks_v1(timestamptz, timestamptz, integer)",
)


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_squashed_0023_calibration"), ("tenants", "0012_squashed_0016_scope_of_opendsr")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='PrivacyCallback',
                    fields=[
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('request_id', models.UUIDField()),
                        ('url', models.CharField(max_length=2000)),
                        ('status', models.CharField(max_length=12)),
                        ('state', models.CharField(default='waiting', max_length=10)),
                        ('attempts', models.IntegerField(default=0)),
                        ('available_at', models.DateTimeField()),
                        ('claimed_until', models.DateTimeField(null=True)),
                        ('http_status', models.IntegerField(null=True)),
                        ('error', models.CharField(blank=True, default='', max_length=40)),
                        ('created_at', models.DateTimeField()),
                        ('finished_at', models.DateTimeField(null=True)),
                    ],
                    options={
                        'verbose_name': 'callback',
                        'db_table': 'privacy_callback',
                    },
                ),
                migrations.CreateModel(
                    name='PrivacyRequest',
                    fields=[
                        ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ('tenant_id', models.UUIDField(editable=False)),
                        ('subject_request_id', models.UUIDField(editable=False, verbose_name='request id')),
                        ('kind', models.CharField(max_length=12, verbose_name='type')),
                        ('regulation', models.CharField(max_length=8)),
                        ('user_id', models.UUIDField(null=True)),
                        ('status', models.CharField(default='pending', max_length=12)),
                        ('fingerprint', models.BinaryField(max_length=32)),
                        ('actor', models.CharField(max_length=60)),
                        ('submitted_at', models.DateTimeField()),
                        ('received_at', models.DateTimeField()),
                        ('deadline_at', models.DateTimeField(verbose_name='deadline')),
                        ('available_at', models.DateTimeField()),
                        ('claimed_until', models.DateTimeField(null=True)),
                        ('attempts', models.IntegerField(default=0)),
                        ('failure', models.CharField(blank=True, default='', max_length=60)),
                        ('finished_at', models.DateTimeField(null=True)),
                        ('erasure_id', models.UUIDField(null=True)),
                        ('results_count', models.BigIntegerField(null=True)),
                        ('results_until', models.DateTimeField(null=True)),
                    ],
                    options={
                        'verbose_name': 'privacy request',
                        'db_table': 'privacy_request',
                    },
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0001_tables.sql"), read_sql("0001_reverse.sql"))],
        ),
        *enable_rls("privacy_request"),
        *enable_rls("privacy_callback"),
        *[operation for name in WORKERS_ONLY for operation in restrict_function(name, roles=(WORKER_ROLE,))],
        *restrict_function("count_open_privacy_requests_v1()", roles=SERVICE_ROLES),
    ]
