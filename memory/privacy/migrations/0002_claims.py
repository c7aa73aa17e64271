"""Claims never take more rows than were asked for."""

from pathlib import Path

from django.db import migrations

from memory.tenants.sql import WORKER_ROLE, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql" / "0002_claims.sql"
WORKERS_ONLY = (
    "claim_privacy_requests_v2(timestamptz, timestamptz, integer)",
    "claim_privacy_callbacks_v2(timestamptz, timestamptz, integer)",
)


class Migration(migrations.Migration):
    dependencies = [("privacy", "0001_tables")]

    operations = [
        migrations.RunSQL(SQL.read_text(encoding="utf-8")),
        *[operation for name in WORKERS_ONLY for operation in restrict_function(name, roles=(WORKER_ROLE,))],
    ]
