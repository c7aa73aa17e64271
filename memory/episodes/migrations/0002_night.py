"""What workers ask across tenants for the nightly round and for metrics."""

from django.db import migrations

from memory.episodes.sql import read_sql
from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, restrict_function


class Migration(migrations.Migration):
    dependencies = [("episodes", "0001_initial")]

    operations = [
        migrations.RunSQL(read_sql("0002_night"), read_sql("0002_reverse")),
        *restrict_function("claim_unlayered_users_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("count_episodes_v1(timestamptz, integer[])", roles=SERVICE_ROLES),
    ]
