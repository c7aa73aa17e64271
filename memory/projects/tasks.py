"""Background work of the wing: threads that a model has not read yet. Arguments are none."""

from __future__ import annotations

import time

import structlog
from celery import shared_task
from django.utils import timezone

from memory.errors import CodedError
from memory.extraction.model.openai_client import ModelFailed
from memory.projects.modelled.asking import find_project_model
from memory.projects.modelled.reading import read_threads_by_model
from memory.projects.selectors.projects import list_unread_projects
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import list_tenants

log = structlog.get_logger(__name__)

MAX_SECONDS = 50.0
"""Then the task ends and the next beat goes on."""


@shared_task
def read_threads() -> int:
    """Let the model of the installation read what is new in the threads of projects, where tenants want that."""
    read, started = 0, time.monotonic()
    for tenant in list_tenants():
        client = find_project_model(tenant_id=tenant.id)
        if client is None:
            continue
        with tenant_scope(tenant.id):
            projects = list_unread_projects(tenant_id=tenant.id)
        for project in projects:
            if time.monotonic() - started > MAX_SECONDS:
                return read
            try:
                read_threads_by_model(project, client=client, now=timezone.now())
                read += 1
            except (ModelFailed, CodedError) as error:
                log.info("project_not_read", project_id=str(project.id), code=str(error))
    return read
