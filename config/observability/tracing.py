"""Traces by OpenTelemetry, off unless UNDE_TRACES asks for them (SPEC O-2). Nothing of it is imported before that.

What is exported passes one gate: only attributes that are listed here leave the process, so that no library can put a
path, a statement's values or the words of an exception on a span (SPEC G-6).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings

from memory.tracing import Note, set_tracer

SERVICE: Final = "unde-memory"
PROVIDER: Final = "unde"
ALLOWED: Final = frozenset(
    {
        # of ours, and of the GenAI conventions
        *("unde.receipt.id", "unde.messages", "unde.facts", "unde.degraded", "unde.code"),
        *("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.memory.record.count", "gen_ai.request.model"),
        # of HTTP: the pattern of the route and never the path, which names users
        *("http.method", "http.request.method", "http.route", "http.status_code", "http.response.status_code"),
        *("http.scheme", "url.scheme", "http.flavor", "network.protocol.version", "error.type"),
        # of PostgreSQL: the name of the operation and the statement with its placeholders
        *("db.system", "db.system.name", "db.operation.name", "db.statement", "db.query.text"),
        # of Celery: which task, never its arguments
        *("celery.action", "celery.task_name", "celery.state", "messaging.operation", "messaging.system"),
        *("messaging.message.id", "messaging.message_id", "messaging.destination", "messaging.destination.name"),
    }
)
"""Attributes of spans that leave the process. A new one is added when somebody has looked at what it holds."""
STATEMENTS: Final = frozenset({"db.statement", "db.query.text"})
EVENT_ALLOWED: Final = frozenset({"exception.type"})


class TracesUnavailable(Exception):
    """Traces are asked for and the packages are not there; the message says what to install."""


def start_tracing(*, processor: Any = None) -> bool:
    """Trace this process if UNDE_TRACES says so; whether it does. Once a process; after a fork, not before.

    `processor` takes the spans instead of the endpoint that OTEL_EXPORTER_OTLP_ENDPOINT names. Raises
    TracesUnavailable.
    """
    if not settings.UNDE_TRACES:
        return False
    if importlib.util.find_spec("opentelemetry") is None:
        raise TracesUnavailable("UNDE_TRACES is set: install requirements-otel.txt into .venv")
    from opentelemetry import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    provider = TracerProvider(resource=Resource.create({"service.name": SERVICE}))
    provider.add_span_processor(processor or _make_processor())
    trace.set_tracer_provider(provider)
    _instrument(provider)
    set_tracer(make_tracer(provider))
    return True


def stop_tracing() -> None:
    """Take the hooks out again. For tests."""
    set_tracer(None)
    for instrumentor in _list_instrumentors():
        if instrumentor.is_instrumented_by_opentelemetry:
            instrumentor.uninstrument()


def make_tracer(provider: Any) -> Any:
    """What stages open their spans with."""
    from opentelemetry.trace import SpanKind

    tracer = provider.get_tracer("unde")

    @contextmanager
    def open_span(name: str, operation: str) -> Iterator[Note]:
        started: dict[str, Any] = {"gen_ai.operation.name": operation, "gen_ai.provider.name": PROVIDER}
        with tracer.start_as_current_span(
            operation or name,
            kind=SpanKind.CLIENT if operation else SpanKind.INTERNAL,
            attributes=started if operation else {},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span.set_attributes
            except Exception as error:
                span.set_attribute("error.type", type(error).__name__)
                raise

    return open_span


def clean_span(span: Any) -> Any:
    """A span without anything that is not listed: attributes, words of events, the description of its status."""
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.trace import Link, Status

    return ReadableSpan(
        name=_choose_name(span),
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=_pick(span.attributes, ALLOWED),
        events=[Event(each.name, _pick(each.attributes, EVENT_ALLOWED), each.timestamp) for each in span.events],
        links=[Link(each.context) for each in span.links],
        kind=span.kind,
        instrumentation_scope=span.instrumentation_scope,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
    )


def make_clean_exporter(exporter: Any) -> Any:
    """An exporter that is given clean spans only."""
    from opentelemetry.sdk.trace.export import SpanExporter

    class CleanExporter(SpanExporter):
        """Cleans, then hands on."""

        def export(self, spans: Sequence[Any]) -> Any:
            return exporter.export([clean_span(span) for span in spans])

        def shutdown(self) -> None:
            exporter.shutdown()

        def force_flush(self, timeout_millis: int = 30_000) -> bool:
            return bool(exporter.force_flush(timeout_millis))

    return CleanExporter()


def _make_processor() -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    return BatchSpanProcessor(make_clean_exporter(OTLPSpanExporter()))


def _list_instrumentors() -> Sequence[Any]:
    from opentelemetry.instrumentation.celery import CeleryInstrumentor
    from opentelemetry.instrumentation.django import DjangoInstrumentor
    from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor

    return DjangoInstrumentor(), PsycopgInstrumentor(), CeleryInstrumentor()


def _instrument(provider: Any) -> None:
    for instrumentor in _list_instrumentors():
        instrumentor.instrument(tracer_provider=provider)


def _pick(attributes: Mapping[str, Any] | None, allowed: frozenset[str]) -> dict[str, Any]:
    found = {name: value for name, value in (attributes or {}).items() if name in allowed}
    return {name: _shape(str(value)) if name in STATEMENTS else value for name, value in found.items()}


def _shape(statement: str) -> str:
    """A statement without what stands between quotes: values belong into parameters, and this holds them to it."""
    return "'...'".join(statement.split("'")[::2])


def _choose_name(span: Any) -> str:
    """The name of a span; of a statement the first word that is no comment, as a name may hold more of it."""
    attributes = span.attributes or {}
    statement = next((str(attributes[name]) for name in sorted(STATEMENTS) if name in attributes), "")
    lines = [line.strip() for line in statement.splitlines() if line.strip() and not line.strip().startswith("--")]
    return lines[0].split()[0][:40] if lines else str(span.name)
