"""The Celery application. Tasks carry ids only: the work itself is a row in PostgreSQL (SPEC M-2)."""

import os

from celery import Celery

from config.observability.tasks import prepare_workers

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")

prepare_workers()
app = Celery("unde", task_cls="config.observability.tasks:TracedTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
