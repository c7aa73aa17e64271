"""Whatever fits the published document, or just misses it, gets a documented answer and never a 5xx (SPEC A-1)."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, Phase, Verbosity, given
from hypothesis import settings as hypothesis_settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from memory.tenants.models import Tenant
from memory.tenants.services.keys import create_key
from memory.tenants.types import Actor, ActorType, Scope
from memory.types import TenantRef

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("opendsr"), pytest.mark.filterwarnings("ignore")]

EXAMPLES = 8  # an operation and mode: the whole walk stays under a minute
RARELY = hypothesis_settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
    verbosity=Verbosity.quiet,
)


@schemathesis.serializer("application/jsonl")
def send_lines(context: Any, value: Any) -> bytes:
    """The body of an import, as it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@pytest.fixture
def headers(tenant: TenantRef) -> dict[str, str]:
    key = create_key(
        tenant=Tenant.objects.get(id=tenant.id),
        name="fuzz",
        scopes=tuple(Scope),
        actor=Actor(type=ActorType.SYSTEM, id="test"),
        now=timezone.now(),
    )
    return {"Authorization": f"Bearer {key.secret}"}


@pytest.fixture(autouse=True)
def keep_connection() -> Iterator[None]:
    """The test's transaction outlives the requests, as it does under Django's own test client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def list_operations() -> list[Any]:
    schema = schemathesis.openapi.from_wsgi(reverse("schema") + "?format=json", WSGIHandler())
    return [found.ok() for found in schema.get_all_operations()]


def send_examples(operation: Any, mode: GenerationMode, headers: dict[str, str]) -> set[int]:
    """The statuses of some requests to one operation; each is checked against the document."""
    statuses = set()

    @RARELY
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        response = case.call(headers=headers)
        assert response.status_code < 500, (case.operation.label, response.status_code)
        case.validate_response(response, checks=[status_code_conformance, content_type_conformance])
        statuses.add(response.status_code)

    send()
    return statuses


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_brings_the_service_down(mode: GenerationMode, headers: dict[str, str]) -> None:
    wanted = [
        operation
        for operation in list_operations()
        if mode is GenerationMode.POSITIVE or operation.body or operation.query
    ]
    answered = [send_examples(operation, mode, headers) for operation in wanted]
    assert len(answered) > 10
    # The requests reached the handlers: they were not all turned away at the door.
    assert any(status in (200, 201, 400, 404) for statuses in answered for status in statuses)
