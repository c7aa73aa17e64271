"""Keys for one user, keys that find the user in a namespace, and the scopes of the store (D-40)."""

from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

from memory.tenants.sql import APP_ROLE, WORKER_ROLE, restrict_function

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"
SCOPES = [
    "write",
    "read",
    "facts",
    "forget",
    "erase",
    "export",
    "feedback",
    "knowledge:read",
    "knowledge:write",
    "ask:read",
    "ask:write",
    "episodes:read",
    "episodes:write",
    "store:read",
    "store:write",
    "keys",
]


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0011_scopes_of_episodes"),
        ("memory", "0016_answered_requests"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="apikey", name="api_key_has_known_scopes"),
        migrations.AlterField(
            model_name="apikey",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(choices=[(scope, scope) for scope in SCOPES], max_length=16), size=None
            ),
        ),
        migrations.AddConstraint(
            model_name="apikey",
            constraint=models.CheckConstraint(
                condition=models.Q(("scopes__contained_by", SCOPES), ("scopes__len__gt", 0)),
                name="api_key_has_known_scopes",
            ),
        ),
        migrations.AddField("apikey", "user_id", models.UUIDField(blank=True, editable=False, null=True)),
        migrations.AddField("apikey", "user_position", models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddIndex(
            "apikey",
            models.Index(
                condition=models.Q(("user_id", None), _negated=True), fields=["user_id"], name="api_keys_of_a_user"
            ),
        ),
        migrations.AddConstraint(
            "apikey",
            models.CheckConstraint(
                condition=models.Q(("user_id", None), ("user_position", None), _connector="OR"),
                name="a_key_for_one_user_needs_no_position",
            ),
        ),
        migrations.AddConstraint(
            "apikey",
            models.CheckConstraint(
                condition=models.Q(("user_position", None), ("user_position__lt", 20), _connector="OR"),
                name="a_position_is_within_a_namespace",
            ),
        ),
        migrations.RunSQL(
            "ALTER TABLE api_key ADD CONSTRAINT a_key_is_for_a_user_who_is_there"
            " FOREIGN KEY (user_id) REFERENCES memory_user (id)",
            "ALTER TABLE api_key DROP CONSTRAINT a_key_is_for_a_user_who_is_there",
        ),
        migrations.RunSQL(
            (FUNCTIONS / "find_api_key_v2.sql").read_text(encoding="utf-8"), "DROP FUNCTION find_api_key_v2(bytea);"
        ),
        *restrict_function("find_api_key_v2(bytea)", roles=(APP_ROLE, WORKER_ROLE)),
    ]
