"""Episodes that a model is to put into words."""

from django.db import migrations, models

from memory.episodes.sql import read_sql
from memory.tenants.sql import WORKER_ROLE, restrict_function


class Migration(migrations.Migration):
    dependencies = [("episodes", "0002_night")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("Episode", "worded_at", models.DateTimeField(blank=True, null=True)),
            ],
            database_operations=[migrations.RunSQL(read_sql("0003_wording"), read_sql("0003_reverse"))],
        ),
        *restrict_function("claim_unworded_episodes_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
