"""Claims never take more rows than were asked for."""

from pathlib import Path

from django.db import migrations

from memory.tenants.sql import WORKER_ROLE, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql" / "0023_claims.sql"
WORKERS_ONLY = (
    "claim_embedding_tasks_v2(smallint, timestamptz, integer)",
    "sweep_embedding_tasks_v3(timestamptz, integer)",
)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0022_unused_functions")]

    operations = [
        migrations.RunSQL(SQL.read_text(encoding="utf-8")),
        *[operation for name in WORKERS_ONLY for operation in restrict_function(name, roles=(WORKER_ROLE,))],
    ]
