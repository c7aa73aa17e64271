"""A function that nothing calls any more."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0012_squashed_0016_scope_of_opendsr")]

    # Installations that began with 0001_squashed do not have it.
    operations = [migrations.RunSQL("DROP FUNCTION IF EXISTS find_api_key_v1")]
