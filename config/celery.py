"""The Celery application. Tasks carry ids only: the work itself is a row in PostgreSQL (SPEC M-2)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")

app = Celery("unde")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
