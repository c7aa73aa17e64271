"""The Celery application. Tasks carry ids only: the work itself is a row in PostgreSQL (SPEC M-2)."""

import os

from celery import Celery

from config.observability.tasks import take_over_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")

take_over_logging()
app = Celery("unde", task_cls="config.observability.tasks:TracedTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
