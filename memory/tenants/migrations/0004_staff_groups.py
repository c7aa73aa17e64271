"""One Django group for each staff role, with the permissions the role has (SPEC H-1)."""

from django.db import migrations

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


def drop_groups(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=ROLES).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0003_policies_and_functions"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make_groups, drop_groups)]
