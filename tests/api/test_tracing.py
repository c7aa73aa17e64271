"""What leaves the process as traces: stages, joined to receipts, and no words of anybody (SPEC O-2)."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client

from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.receipts.reading import find_receipt
from tests.api.conftest import Caller
from tests.caller import make_caller
from tests.scripted_model import ScriptedModel, Turn

pytest.importorskip("opentelemetry.sdk", reason="install requirements-otel.txt")

pytestmark = pytest.mark.django_db(transaction=True)
MARK = "xyzzyquux"
USER = f"user-{MARK}"


@pytest.fixture
def spans(settings: Any) -> Iterator[Any]:
    """The spans that a collector would be sent while everything is traced."""
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from config.observability.tracing import make_clean_exporter, start_tracing, stop_tracing

    settings.UNDE_TRACES = True
    exporter = InMemorySpanExporter()
    connection.close()
    assert start_tracing(processor=SimpleSpanProcessor(make_clean_exporter(exporter)))
    yield exporter
    stop_tracing()
    connection.close()


@pytest.fixture
def api(spans: Any, tenant: TenantRef) -> Caller:
    made = make_caller(tenant)
    client = Client(raise_request_exception=False, HTTP_AUTHORIZATION=made.client.defaults["HTTP_AUTHORIZATION"])
    return type(made)(client)


def send_everything(api: Caller, model: ScriptedModel) -> str:
    """Calls of every kind with the mark in all that a user may write, good ones and bad ones."""
    said = {"user_id": USER, "conversation_id": f"c-{MARK}"}
    message = api.post("/v1/messages", {**said, "role": "user", "content": f"my size is M {MARK}", "id": MARK}).json()
    api.post("/v1/messages/batch", {"messages": [{**said, "role": "user", "content": f"allergic to {MARK}"}]})
    api.post("/v1/messages", {**said, "role": MARK, "content": MARK})
    api.post("/v1/search", {"user_id": USER, "query": MARK})
    receipt_id: str = api.post("/v1/context", {**said, "query": f"what is {MARK}?"}).json()["receipt_id"]
    api.get(f"/v1/users/{USER}/facts")
    api.get(f"/v1/users/{USER}/messages?conversation_id=c-{MARK}")
    api.get(f"/v1/{MARK}?q={MARK}")
    b"".join(api.get(f"/v1/users/{USER}/export").streaming_content)
    api.post("/v1/chat", {**said, "message": f"hello {MARK}", "id": f"{MARK}-2"})
    api.post("/v1/chat", {**said, "message": f"hello {MARK}", "id": f"{MARK}-3"})
    api.post(f"/v1/messages/{message['id']}/forget", {"reason": MARK})
    assert model.requests
    return receipt_id


def test_no_words_and_no_user_are_in_anything_that_is_exported(
    api: Caller, spans: Any, scripted_model: Any, settings: Any, tenant: TenantRef
) -> None:
    model = scripted_model(f"Hello {MARK}.", Turn(status=400))
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = model.url, f"scripted-{id(model)}"
    owner = read_owner(tenant, send_everything(api, model))
    exported = spans.get_finished_spans()
    written = [span.to_json() for span in exported]
    assert [text for text in written if MARK in text.casefold()] == []
    assert [text for text in written if owner in text] == []
    names = {span.name for span in exported}
    assert {"create_memory", "search_memory", "delete_memory", "unde.store.steps", "unde.model"} <= names
    assert {"GET v1/users/<external:user_id>/facts", "POST v1/chat", "SELECT", "INSERT"} <= names
    statements = [span.attributes["db.statement"] for span in exported if "db.statement" in span.attributes]
    assert len(statements) > 20


def read_owner(tenant: TenantRef, receipt_id: str) -> str:
    """Our own id of the user, which rows and pages of the console name."""
    with tenant_scope(tenant.id):
        found = find_receipt(receipt_id=UUID(receipt_id), tenant_id=tenant.id)
    assert found is not None
    return str(found.user_id)


def test_a_receipt_joins_the_trace_to_the_words(api: Caller, spans: Any) -> None:
    said = {"user_id": "alice", "conversation_id": "c-1"}
    api.post("/v1/messages", {**said, "role": "user", "content": "my size is M"})
    pack = api.post("/v1/context", {**said, "query": "what is my size?"}).json()
    (span,) = [
        each for each in spans.get_finished_spans() if each.attributes.get("unde.receipt.id") == pack["receipt_id"]
    ]
    assert span.name == "search_memory"
    assert span.attributes["gen_ai.operation.name"] == "search_memory"
    assert span.attributes["gen_ai.memory.record.count"] >= 1
    assert api.get(f"/v1/receipts/{span.attributes['unde.receipt.id']}").status_code == 200
    inside = [
        each for each in spans.get_finished_spans() if each.parent and each.parent.span_id == span.context.span_id
    ]
    assert {each.name for each in inside} >= {"unde.context.parts", "unde.context.write"}


def test_what_no_list_allows_stays_in_the_process(spans: Any) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    from config.observability.tracing import clean_span

    with TracerProvider().get_tracer("t").start_as_current_span("s", attributes={"url.full": MARK}) as span:
        span.record_exception(ValueError(MARK))
        span.set_attribute("db.statement", f"SELECT '{MARK}' WHERE a = %s")
    cleaned = json.loads(clean_span(span).to_json())
    assert MARK not in json.dumps(cleaned)
    assert cleaned["attributes"] == {"db.statement": "SELECT '...' WHERE a = %s"}
    assert cleaned["events"][0]["attributes"] == {"exception.type": "ValueError"}


def test_without_traces_nothing_of_them_is_imported() -> None:
    program = (
        "import os, sys; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'config.settings.test');"
        "import django; django.setup(); from config.observability.tracing import start_tracing;"
        "assert not start_tracing();"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert ran.stdout.strip() == "[]", ran.stderr[-2_000:]
