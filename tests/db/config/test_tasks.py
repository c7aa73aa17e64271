from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from celery import Celery

from config.observability.tasks import TracedTask

pytestmark = pytest.mark.django_db  # a task first asks whether somebody was erased


@pytest.fixture(autouse=True)
def no_request_before() -> Iterator[None]:
    """What an earlier test's request left bound in this process does not count."""
    structlog.contextvars.clear_contextvars()
    yield
    structlog.contextvars.clear_contextvars()


def test_a_task_runs_under_the_request_id_of_the_request_that_asked_for_it() -> None:
    app = Celery("traced", task_cls=TracedTask, broker="memory://", backend="cache+memory://")
    seen: list[dict[str, Any]] = []

    @app.task(name="seen")
    def see() -> None:
        seen.append(structlog.contextvars.get_contextvars())

    app.conf.task_always_eager = True
    with structlog.contextvars.bound_contextvars(request_id="r-12345678"):
        see.delay()
    see.delay()
    assert seen[0]["request_id"] == "r-12345678"
    assert seen[0]["task"] == "seen"
    assert seen[0]["task_id"]
    assert "request_id" not in seen[1]
    assert "task_id" not in structlog.contextvars.get_contextvars()


def test_a_published_task_carries_the_request_id_in_its_headers() -> None:
    app = Celery("traced", task_cls=TracedTask, broker="memory://")

    @app.task(name="carried")
    def carry() -> None:
        raise NotImplementedError

    with structlog.contextvars.bound_contextvars(request_id="r-12345678"):
        carry.delay()
    with app.connection_for_read() as connection:
        message = connection.default_channel.basic_get("celery", no_ack=True)
        assert message is not None
        assert message.headers["request_id"] == "r-12345678"
