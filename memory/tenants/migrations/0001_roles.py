"""The service roles may use every plain table, those of later migrations too. Comes before any table behind policies."""

from django.db import migrations

from memory.tenants.sql import grant_plain_tables, require_roles


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [require_roles(), grant_plain_tables()]
