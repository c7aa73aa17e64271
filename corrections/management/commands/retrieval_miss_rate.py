"""script/manage retrieval_miss_rate"""

from corrections.quality.levels import MISSES
from corrections.quality.offline.command import OfflineCommand


class Command(OfflineCommand):
    indicator = MISSES
    counted = "misses"
    help = """Count the exchanges of the last 7 days whose pack left out what the user then had to say.
An exchange is a pack with the question it answered. docs/quality.md says what a miss is. The figure goes into the
trend of the tenant; nothing else is changed. Interrupted, the same command goes on, with the moment it began at.

examples:
  script/manage retrieval_miss_rate --tenant acme
  script/manage retrieval_miss_rate --tenant acme --share 0.1   (a tenth of the users)
  script/manage retrieval_miss_rate --tenant acme --restart        (forget the interrupted run)
"""
