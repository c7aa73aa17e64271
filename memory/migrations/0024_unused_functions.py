"""Functions that nothing calls any more."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_squashed_0023_calibration")]

    # Installations that began with 0001_squashed have none of them.
    operations = [migrations.RunSQL("DROP FUNCTION IF EXISTS enter_user_v1, keep_actions_v1, keep_messages_unless_erased_v1, store_message_v1")]
