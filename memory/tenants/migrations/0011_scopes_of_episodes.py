"""Keys may be given the scopes of episodes (D-40)."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0007_scopes_of_knowledge"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="apikey",
            name="api_key_has_known_scopes",
        ),
        migrations.AlterField(
            model_name="apikey",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("write", "write"),
                        ("read", "read"),
                        ("facts", "facts"),
                        ("forget", "forget"),
                        ("erase", "erase"),
                        ("export", "export"),
                        ("feedback", "feedback"),
                        ("knowledge:read", "knowledge:read"),
                        ("knowledge:write", "knowledge:write"),
                        ("ask:read", "ask:read"),
                        ("ask:write", "ask:write"),
                        ("episodes:read", "episodes:read"),
                        ("episodes:write", "episodes:write"),
                    ],
                    max_length=16,
                ),
                size=None,
            ),
        ),
        migrations.AddConstraint(
            model_name="apikey",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "scopes__contained_by",
                        [
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
                        ],
                    ),
                    ("scopes__len__gt", 0),
                ),
                name="api_key_has_known_scopes",
            ),
        ),
    ]
