"""script/manage user_repeated_info"""

from corrections.quality.levels import REPEATS
from corrections.quality.offline.command import OfflineCommand


class Command(OfflineCommand):
    indicator = REPEATS
    counted = "repeats"
    help = """Count the messages of the last 7 days in which users said again what packs had not brought.
docs/quality.md says what a repeat is. The figure goes into the trend of the tenant; nothing else is changed.
Interrupted, the same command goes on, with the moment it began at.

examples:
  script/manage user_repeated_info --tenant acme
  script/manage user_repeated_info --tenant acme --share 0.1   (a tenth of the users)
  script/manage user_repeated_info --tenant acme --restart        (forget the interrupted run)
"""
