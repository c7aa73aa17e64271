"""Keys may be given the scope of requests of privacy desks."""

import django.contrib.postgres.fields
from django.db import migrations, models

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
    "events:read",
    "webhooks:read",
    "webhooks:write",
    "chat:write",
    "projects:read",
    "projects:write",
    "opendsr",
]


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0015_scopes_of_projects"),
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
    ]
