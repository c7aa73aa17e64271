"""The wiring: settings, URLs, ways in, observability. It may import every room; no room imports it.

`celery -A config` finds the worker application here.
"""

from config.celery import app as celery_app

__all__ = ["celery_app"]
