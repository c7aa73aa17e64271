"""A project of the first tenant, written by the services."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from memory.projects.services.projects import ProjectInput, make_project
from memory.projects.types import ProjectRef
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef


@pytest.fixture
def make(tenant: TenantRef) -> Callable[..., ProjectRef]:
    """Projects, shared or of a user."""

    def make_one(name: str = "apollo", user: str | None = None) -> ProjectRef:
        with tenant_scope(tenant.id):
            content = ProjectInput(name=name, mission="Land on the moon")
            return make_project(tenant_id=tenant.id, external_id=name, user=user, content=content, now=timezone.now())[
                0
            ]

    return make_one


@pytest.fixture
def project(make: Callable[..., ProjectRef]) -> ProjectRef:
    return make()
