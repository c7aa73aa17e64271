"""Tenants, keys, staff and the audit trail, behind policies; the functions that see across tenants.

The service roles may use every plain table, those of later migrations too: that comes before any table behind policies.
Each staff role is a Django group, with the permissions that it has (SPEC H-1).
"""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

import memory.ids
from memory.tenants.sql import WORKER_ROLE, enable_rls, grant_plain_tables, require_roles, restrict_function

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
    "events:read",
    "webhooks:read",
    "webhooks:write",
    "chat:write",
    "projects:read",
    "projects:write",
    "opendsr",
]
ROLES = {
    "reviewer": ("review_facts", "view_user_memory"),
    "pattern_editor": ("edit_patterns",),
    "operator": ("operate", "view_user_memory", "audit"),
    "auditor": ("audit",),
}


def make_groups(apps, schema_editor):
    # Django makes permissions after all migrations; those needed here are made now, under the same natural key.
    options = apps.get_model("tenants", "Tenant")._meta
    content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="tenants", model="tenant"
    )
    permission_model = apps.get_model("auth", "Permission")
    permissions = {
        codename: permission_model.objects.get_or_create(
            content_type=content_type, codename=codename, defaults={"name": name}
        )[0]
        for codename, name in options.permissions
    }
    for role, codenames in ROLES.items():
        group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=role)
        group.permissions.set([permissions[codename] for codename in codenames])


def load(name):
    return migrations.RunSQL((FUNCTIONS / f"{name}.sql").read_text(encoding="utf-8"))


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("tenants", "0001_roles"),
        ("tenants", "0002_tenants_keys_staff_audit"),
        ("tenants", "0003_policies_and_functions"),
        ("tenants", "0004_staff_groups"),
        ("tenants", "0005_enter_tenant"),
        ("tenants", "0006_enter_tenant_alone"),
        ("tenants", "0007_scopes_of_knowledge"),
        ("tenants", "0011_scopes_of_episodes"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        require_roles(),
        grant_plain_tables(),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.UUIDField(default=memory.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField()),
                ("happened_at", models.DateTimeField()),
                (
                    "actor_type",
                    models.CharField(
                        choices=[("staff", "staff"), ("api_key", "api_key"), ("system", "system")], max_length=8
                    ),
                ),
                ("actor_id", models.CharField(max_length=64)),
                ("action", models.CharField(max_length=64)),
                ("object_type", models.CharField(blank=True, max_length=32)),
                (
                    "object_ids",
                    ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None),
                ),
                ("chain_hash", models.BinaryField(max_length=32, null=True)),
            ],
            options={
                "db_table": "audit_event",
                "indexes": [
                    models.Index(fields=["tenant_id", "happened_at", "id"], name="audit_event_by_tenant_and_time")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("action__regex", "^[a-z_]+(\\.[a-z_]+)*$")), name="audit_action_is_a_code"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("actor_type__in", ["staff", "api_key", "system"])),
                        name="audit_actor_type_is_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Tenant",
            fields=[
                ("id", models.UUIDField(default=memory.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("slug", models.SlugField(max_length=63, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("timezone", models.CharField(default="Asia/Dubai", max_length=64)),
                ("settings", models.JSONField(blank=True, default=dict)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
            options={
                "db_table": "tenant",
                "permissions": [
                    ("review_facts", "Judge facts in the review queue"),
                    ("view_user_memory", "See what a user said and what is known about them"),
                    ("edit_patterns", "Write and publish patterns"),
                    ("operate", "Manage keys, erasures and schedules"),
                    ("audit", "Read receipts, the audit trail and quality figures"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("slug__regex", "^[a-z0-9][a-z0-9-]*$")),
                        name="tenant_slug_is_lower_case_letters_digits_dashes",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StaffMembership",
            fields=[
                ("id", models.UUIDField(default=memory.ids.new_id, editable=False, primary_key=True, serialize=False)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("reviewer", "reviewer"),
                            ("pattern_editor", "pattern editor"),
                            ("operator", "operator"),
                            ("auditor", "auditor"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "staff_user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="staff_memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="staff_memberships",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "staff_membership",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("staff_user", "tenant", "role"),
                        name="staff_user_has_a_role_once_a_tenant",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("tenant__isnull", False), ("role", "operator"), _connector="OR"),
                        name="only_operators_have_no_tenant",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["reviewer", "pattern_editor", "operator", "auditor"])),
                        name="staff_role_is_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                ("id", models.UUIDField(default=memory.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(editable=False, max_length=16)),
                ("key_hash", models.BinaryField(max_length=32)),
                (
                    "scopes",
                    ArrayField(
                        base_field=models.CharField(
                            choices=[(scope, scope) for scope in SCOPES],
                            max_length=16,
                        ),
                        size=None,
                    ),
                ),
                ("requests_per_minute", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("last_used_at", models.DateTimeField(editable=False, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="api_keys", to="tenants.tenant"
                    ),
                ),
                ("user_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("user_position", models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                "db_table": "api_key",
                "indexes": [
                    models.Index(
                        condition=models.Q(("user_id", None), _negated=True),
                        fields=["user_id"],
                        name="api_keys_of_a_user",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("revoked_at", None)),
                        fields=("tenant", "name"),
                        name="api_key_name_is_unique_among_working_keys",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("revoked_at", None)),
                        fields=("key_hash",),
                        name="api_key_secret_is_unique_among_working_keys",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("user_id", None), ("user_position", None), _connector="OR"),
                        name="a_key_for_one_user_needs_no_position",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("user_position", None), ("user_position__lt", 20), _connector="OR"),
                        name="a_position_is_within_a_namespace",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "scopes__contained_by",
                                SCOPES,
                            ),
                            ("scopes__len__gt", 0),
                        ),
                        name="api_key_has_known_scopes",
                    ),
                ],
            },
        ),
        *enable_rls("api_key"),
        *enable_rls("audit_event", append_only=True),
        load("keep_audit_trail_v1"),
        load("seal_audit_day_v1"),
        *restrict_function("seal_audit_day_v1(uuid, date)", roles=(WORKER_ROLE,)),
        load("enter_tenant_v2"),
        migrations.RunPython(make_groups),
    ]
