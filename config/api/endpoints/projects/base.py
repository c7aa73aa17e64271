"""What views of projects share: the project of the path, pages, times."""

from __future__ import annotations

from typing import Final, TypeVar

import msgspec
from django.db import transaction
from django.utils import timezone

from config.api.endpoints.projects.bodies import ArtifactBody, ProjectBody
from config.api.repeats import make_own_id
from config.api.views import ApiView
from memory.errors import UserBusy
from memory.projects.errors import ProjectBusy
from memory.projects.selectors.projects import get_project
from memory.projects.selectors.sources import Reader
from memory.projects.services.history import update_history
from memory.projects.types import DecisionBody, ProjectRef

New = TypeVar("New", ProjectBody, ArtifactBody, DecisionBody)
PATH: Final = {"project": "Your id of the project."}
TENANT: Final = Reader()
"""Lists are read by the tenant: what users said is quoted from shared threads, and to owners, alone."""


class ProjectView(ApiView):
    """A view under `/v1/projects/{project}`."""

    def get_project(self, external_id: str) -> ProjectRef:
        """The project of the path. Call inside the tenant. Raises ProjectNotFound."""
        return get_project(tenant_id=self.caller.tenant_id, external_id=external_id)

    def get_fresh_project(self, external_id: str) -> ProjectRef:
        """As `get_project`, after what is new in its threads was read. A project that is busy is read as it is."""
        found = self.get_project(external_id)
        try:
            with transaction.atomic():
                update_history(found, now=timezone.now())
        except (ProjectBusy, UserBusy):
            return found
        return found

    def read_new(self, kind: type[New]) -> New:
        """The body of something new. Where it names no id, an Idempotency-Key gives it one. Raises InvalidRequest."""
        body = self.read_body(kind)
        if body.id is not None:
            return body
        own = make_own_id(self.request, tenant_id=self.caller.tenant_id, user=self.caller.user)
        return msgspec.structs.replace(body, id=own)
