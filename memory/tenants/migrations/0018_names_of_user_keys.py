"""Names of keys are unique within a user, no longer within the tenant."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("tenants", "0017_unused_functions")]

    operations = [
        migrations.RemoveConstraint(model_name="apikey", name="api_key_name_is_unique_among_working_keys"),
        migrations.AddConstraint(
            model_name="apikey",
            constraint=models.UniqueConstraint(
                fields=["tenant", "user_id", "name"],
                condition=Q(revoked_at=None),
                nulls_distinct=False,
                name="api_key_name_is_unique_among_working_keys",
            ),
        ),
    ]
