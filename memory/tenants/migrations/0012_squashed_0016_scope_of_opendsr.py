"""Keys for one user, and how they are found: apart from 0001, for the users come in between (D-40)."""

from pathlib import Path

from django.db import migrations

from memory.tenants.sql import APP_ROLE, WORKER_ROLE, restrict_function

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"
KEY_OF_A_USER = """
ALTER TABLE api_key ADD CONSTRAINT a_key_is_for_a_user_who_is_there FOREIGN KEY (user_id) REFERENCES memory_user (id)
"""


class Migration(migrations.Migration):
    replaces = [
        ("tenants", "0012_keys_of_users"),
        ("tenants", "0013_scopes_of_events"),
        ("tenants", "0014_scope_of_chat"),
        ("tenants", "0015_scopes_of_projects"),
        ("tenants", "0016_scope_of_opendsr"),
    ]

    dependencies = [
        ("tenants", "0001_squashed_0011_scopes_of_episodes"),
        ("memory", "0001_squashed_0023_calibration"),
    ]

    operations = [
        migrations.RunSQL(KEY_OF_A_USER),
        migrations.RunSQL((FUNCTIONS / "find_api_key_v2.sql").read_text(encoding="utf-8")),
        *restrict_function("find_api_key_v2(bytea)", roles=(APP_ROLE, WORKER_ROLE)),
    ]
