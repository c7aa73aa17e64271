"""Conversations with messages that are not cut into episodes yet (D-44)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_answered_requests")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("conversation", "cut_due_at", models.DateTimeField(blank=True, null=True)),
                migrations.AddField("conversation", "cut_seq", models.IntegerField(default=0)),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0020_cutting.sql").read_text(encoding="utf-8"),
                    (SQL / "0020_cutting_reverse.sql").read_text(encoding="utf-8"),
                ),
            ],
        ),
        *restrict_function(
            "claim_uncut_conversations_v1(timestamptz, interval, interval, integer)", roles=(WORKER_ROLE,)
        ),
        *restrict_function("count_uncut_conversations_v1(timestamptz)", roles=SERVICE_ROLES),
    ]
