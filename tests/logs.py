"""Logs as they are written: the handler of the service, with its stream in the test's hands."""

import io
import logging
from collections.abc import Iterator

import pytest
import structlog

from config.observability.logs import configure_logging


@pytest.fixture
def log_stream() -> Iterator[io.StringIO]:
    """What the process logs from now on, at level INFO, one JSON object a line."""
    structlog.contextvars.clear_contextvars()
    root = logging.getLogger()
    before, level = root.handlers, root.level
    configure_logging({"level": "INFO"})
    written = io.StringIO()
    handler = root.handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(written)
    yield written
    root.handlers = before
    root.setLevel(level)
    structlog.contextvars.clear_contextvars()
