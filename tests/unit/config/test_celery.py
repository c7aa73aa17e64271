"""A worker knows every task that beat sends, from its first second on."""

import json
import subprocess
import sys

PROGRAM = """
import json
from config.celery import app
from django.conf import settings
app.loader.import_default_modules()
print(json.dumps([sorted(app.tasks), sorted(entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values())]))
"""


def test_every_scheduled_task_is_registered_in_a_fresh_worker() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    registered, scheduled = json.loads(done.stdout.splitlines()[-1])
    assert scheduled
    assert set(scheduled) <= set(registered)
