"""Where Celery finds the tasks of this room."""

from config.opendsr.tasks import run_privacy_requests
from config.webhooks.tasks import deliver_events, drop_old_events

__all__ = ["deliver_events", "drop_old_events", "run_privacy_requests"]
