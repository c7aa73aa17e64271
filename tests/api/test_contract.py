"""The published document tells the whole truth: every operation is called, every field described, every example real.

Record the examples again after a change of an answer: `UNDE_RECORD_EXAMPLES=1 script/test tests/api/test_contract.py`.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from config.api.schema import EXAMPLES
from memory.erasure.worker import run_erasure
from memory.models import ErasureRequest
from memory.privacy.models import PrivacyRequest
from memory.privacy.worker import run_request
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import UserRef
from tests.caller import Caller, make_caller
from tests.contract import check_exchange, find_operation, list_faults, list_operations, read_document, walk_schemas
from tests.db.memory.consents.purposes import put
from tests.imports import carry_out
from tests.privacy_desk import REQUEST_ID, make_request

pytestmark = pytest.mark.django_db
NEEDS = "Scope of the key|Permission of the link|It needs no permission"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
NOW = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{1,6}(?:\+00:00|Z)")
CURSOR = re.compile(r'"next": "[^"]+"')
KEY = re.compile(r"unde_[0-9a-f]{8}_[\w-]{43}")
PREFIX = re.compile(r'"prefix": "[0-9a-f]{8}"')
LINK = re.compile(r"/memory/open/[\w-]+")
ENCODED = re.compile(r'"encoded_request": "[^"]+"')
FOLLOWED = re.compile(r"/memory/erased/[\w:-]+")
SESSION = re.compile(r"undev_[\w-]+")
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]+")
HASH = re.compile(r"\b[0-9a-f]{64}\b")
SECOND_ID = "b7551968-d5d6-44b2-9831-815ac9017798"
SAID = "مقاسي M بس مابي open shoulders"


class Recorder:
    """Calls every operation once, in an order in which each has something to answer, and keeps what was sent."""

    def __init__(self, api: Caller, tenant: Any) -> None:
        self.api, self.tenant = api, tenant
        self.operations: dict[str, dict[str, Any]] = {}
        self.errors: dict[str, Any] = {}

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The answer, kept as the example of its operation when it is the first."""
        send = getattr(self.api, method)
        response = send(path, **query) if method == "get" else send(path, body)
        found = find_operation(method, path)
        assert found is not None, path
        self._keep(found[0], body, response)
        return response.json() if response.content else None

    def _keep(self, name: str, body: Any, response: Any) -> None:
        status = str(response.status_code)
        if response.status_code >= 400:
            self.errors.setdefault(status, response.json())
            return
        answer = response.json() if response.content else None
        self.operations.setdefault(name, {"request": body, "status": status, "answer": answer})

    def walk(self) -> None:
        self._talk()
        self._ask()
        self._state()
        self._episodes()
        self._keep_items()
        self._know()
        self._tell()
        self._chat()
        self._plan()
        self._move()
        self._forget()
        self._agree()
        self._visit()
        self._ask_for_somebody()
        self._fail()
        self._erase()

    def _talk(self) -> None:
        self.message = self.call(
            "post",
            "/v1/messages",
            {
                "user_id": "u-1",
                "conversation_id": "c-1",
                "role": "user",
                "id": "m-1",
                "created_at": "2026-03-01T18:30:00+04:00",
                "content": SAID,
                "metadata": {"channel": "app"},
            },
        )
        same = {"user_id": "u-1", "conversation_id": "c-1"}
        self.call(
            "post",
            "/v1/messages/batch",
            {
                "messages": [
                    {**same, "role": "assistant", "id": "m-2", "content": "Noted.", "reply_to_id": self.message["id"]},
                    {**same, "role": "user", "id": "m-3", "content": "I am allergic to wool, it itches"},
                    {**same, "role": "boss", "id": "m-4", "content": "hello"},
                ]
            },
        )
        self.call("get", "/v1/users")
        self.call("get", "/v1/users/u-1/conversations")
        self.call("get", "/v1/users/u-1/messages", conversation_id="c-1", limit=2)

        self.call("get", f"/v1/messages/{self.message['id']}")

    def _ask(self) -> None:
        asked = {"user_id": "u-1", "query": "what did I say about wool?", "top_k": 2, "trace": True}
        metadata = {"OR": [{"channel": "app"}, {"NOT": {"price": {"gt": 500}}}]}
        self.call("post", "/v1/search", {**asked, "filters": {"roles": ["user"], "metadata": metadata}})
        body = {"user_id": "u-1", "conversation_id": "c-1", "query": "what should I wear?"}
        pack = self.call("post", "/v1/context", {**body, "intent": "recommendation", "model": "gpt-4o", "trace": True})
        used = {"message_id": self.message["id"], "signal": "used"}
        self.call("post", "/v1/feedback", {"receipt_id": pack["receipt_id"], "items": [used]})
        reply = {"role": "assistant", "content": "A knee-length dress in M?", "receipt_id": pack["receipt_id"]}
        self.call("post", "/v1/messages", {"user_id": "u-1", "conversation_id": "c-1", **reply})
        self.call("get", f"/v1/receipts/{pack['receipt_id']}")
        self.call("get", "/v1/users/u-1/receipts", message_id=self.message["id"])

    def _state(self) -> None:
        facts = [
            {"knowledge_type": "body_params", "value": "L", "source": "onboarding"},
            {"knowledge_type": "allergy", "value": "nickel", "source": "explicit"},
        ]
        size, nickel = self.call("put", "/v1/users/u-1/facts", {"facts": facts})["facts"]
        self.call("get", "/v1/users/u-1/facts", knowledge_type="allergy")
        self.call("get", f"/v1/facts/{size['id']}")
        self.call("get", f"/v1/facts/{size['id']}/timeline")
        self.call("post", f"/v1/facts/{size['id']}/confirm", {"message_id": self.message["id"]})
        self.call("post", f"/v1/facts/{size['id']}/dispute", {"reason": "said otherwise on the phone"})
        self.call("post", f"/v1/facts/{nickel['id']}/retract", {"reason": "meant another customer"})
        told = {"facts": [{"knowledge_type": "budget", "value": 900, "source": "explicit"}]}
        budget = self.api.put("/v1/users/u-5/facts", told).json()["facts"][0]["id"]
        budget = self.call("patch", f"/v1/facts/{budget}", {"value": "500-700"})["id"]
        self.call("delete", f"/v1/facts/{budget}")

    def _episodes(self) -> None:
        self.call("post", "/v1/users/u-1/episodes/close", {"conversation_id": "c-1"})
        episode = self.call("get", "/v1/users/u-1/episodes", layer="hot", limit=1)["results"][0]
        self.call("get", f"/v1/episodes/{episode['id']}")
        self.call("post", f"/v1/episodes/{episode['id']}/unpack")
        self.call("post", f"/v1/episodes/{episode['id']}/anchor", {"is_anchor": True})

    def _keep_items(self) -> None:
        self.api.client.defaults["HTTP_X_UNDE_USER"] = "u-1"
        place = {"namespace": ["agents", "stylist"], "key": "wardrobe"}
        self.call("put", "/v1/store/items", {**place, "value": {"coat": "navy, knee-length"}, "ttl": 43_200})
        self.call("get", "/v1/store/items", namespace="agents.stylist", key="wardrobe")
        self.call("post", "/v1/store/items/search", {"namespace_prefix": ["agents"], "query": "navy coat"})
        self.call("post", "/v1/store/namespaces", {"prefix": ["agents"], "max_depth": 2})
        operations = [{"op": "get", **place}, {"op": "delete", "namespace": ["agents"], "key": "old"}]
        self.call("post", "/v1/store/batch", {"operations": operations})
        self.call("delete", "/v1/store/items", place)
        del self.api.client.defaults["HTTP_X_UNDE_USER"]
        key = self.call("post", "/v1/users/u-1/keys", {"name": "phone", "scopes": ["read", "write"]})
        self.call("get", "/v1/users/u-1/keys")
        self.call("delete", f"/v1/users/u-1/keys/{key['id']}")

    def _know(self) -> None:
        path = "/v1/corpora/portfolio"
        self.call("put", path, {"name": "Portfolio", "schema": "portfolio", "settings": {"list_max_items": 10}})
        python = {"kind": "USES_TECH", "to": {"type": "Technology", "name": "Python"}}
        alor = {
            "id": "p-1",
            "type": "Project",
            "name": "АЛОР Брокер",
            "key": "alor-broker",
            "aliases": ["АЛОР", "ALOR"],
        }
        wrong = {"id": "p-2", "type": "Ship", "name": "Argo"}
        document = {"id": "d-1", "title": "Проекты", "text": "На АЛОРе писали на Python."}
        self.call("post", f"{path}/ingest", {"documents": [document], "records": [{**alor, "edges": [python]}, wrong]})
        self.call("get", "/v1/corpora")
        for part in ("", "/documents", "/records", "/entities"):
            self.call("get", path + part)
        self.call("post", f"{path}/resolve", {"text": "Какие достижения на проекте АЛОР?"})
        self.call("post", f"{path}/graph", {"path": ["USES_TECH"], "entity": {"name": "ALOR"}})
        self.call("post", f"{path}/search", {"query": "Где писали на Python?", "trace": True})
        self.call("post", "/v1/ask", {"corpus": "portfolio", "query": "Какие технологии на проекте АЛОР?"})
        for part in ("/documents/d-1", "/records/p-1", ""):
            self.call("delete", path + part)

    def _chat(self) -> None:
        asked = {"user_id": "u-3", "conversation_id": "c-1", "id": "m-1"}
        self.call("post", "/v1/chat", {**asked, "message": "Please order the blue dress, my size is M"})

    def _tell(self) -> None:
        self.call("get", "/v1/events", limit=2)
        path = "/v1/webhooks/crm"
        self.call("put", path, {"url": "https://93.184.215.14/hooks/unde", "events": ["fact.*", "erasure.completed"]})
        self.call("get", "/v1/webhooks")
        delivery = self.call("post", f"{path}/test")
        self.call("get", f"{path}/deliveries")
        self.call("post", f"{path}/deliveries/{delivery['delivery_id']}/replay")
        self.call("post", f"{path}/rotate")
        self.call("delete", path)

    def _plan(self) -> None:
        path, ann = (
            "/v1/projects/apollo",
            {"type": "document", "ref": "minutes-3", "author": "Ann", "date": "2026-03-02"},
        )
        mission = {"mission": "Move the shop to the new warehouse", "constraints": ["No downtime on Fridays"]}
        self.call("post", "/v1/projects", {"id": "apollo", "name": "Apollo", "goals": ["Open in May"], **mission})
        self.call("get", "/v1/projects")
        self.call("patch", path, {"status": "active", "goals": ["Open in June"]})
        self.call("get", path)
        self.call("put", f"{path}/threads/c-1", {"user_id": "u-1", "scope": "in", "shared": True})
        rent = {"subject": "rent", "value": 12000, "exclusive": True, "source": ann}
        self.call("post", f"{path}/facts", {"facts": [{"id": "rent", **rent}, {"subject": "Rent", "value": 15000}]})
        self.call("get", f"{path}/facts")
        self.call(
            "post", f"{path}/decisions", {"id": "d-1", "title": "Rent hall 4", "state": "proposed", "source": ann}
        )
        self.call("post", "/v1/decisions/d-1/state", {"state": "accepted", "at": "2026-03-05T10:00:00+04:00"})
        self.call(
            "post", f"{path}/decisions", {"id": "d-2", "title": "Rent hall 7", "supersedes": ["d-1"], "source": ann}
        )
        self.call("get", f"{path}/decisions")
        self.call("post", f"{path}/artifacts", {"id": "plan", "kind": "doc", "ref": "plan.md", "title": "The plan"})
        self.call("get", f"{path}/artifacts")
        ends = {"from": {"type": "decision", "id": "d-2"}, "to": {"type": "artifact", "id": "plan"}}
        self.call("post", f"{path}/links", {**ends, "kind": "depends", "weight": 0.8})
        self.call("get", f"{path}/links")
        conflict = self.call("get", f"{path}/conflicts")["results"][0]
        self.call("get", f"{path}/questions")
        asked = {"user_id": "u-1", "query": "What rent do we pay, and which hall did we take?"}
        self.call("post", "/v1/projects/normalise", {"query": "Why did Apollo take hall 7, without downtime?"})
        self.call("post", f"{path}/normalise", {"query": "What rent do we pay?"})
        first = self.call("post", f"{path}/snapshots", {**asked, "budget_tokens": 800})["id"]
        bundle = self.call("post", f"{path}/context", {**asked, "budget_tokens": 2000})
        answer = "Rent is 12000 [S1]. The hall needs new lamps. Who pays for the lamps?"
        self.call(
            "post",
            f"{path}/writeback",
            {"user_id": "u-1", "answer": answer, "citations": ["S1"], "snapshot_id": bundle["snapshot_id"]},
        )
        self.call("get", f"/v1/snapshots/{first}")
        second = self.call("post", f"{path}/snapshots", {**asked, "budget_tokens": 800})["id"]
        self.call("get", f"/v1/snapshots/{first}/diff/{second}")
        self.call("get", f"{path}/monitor")
        self.call("get", "/v1/quality")
        self.call(
            "post", f"{path}/conflicts/{conflict['id']}/resolve", {"keep": "rent", "reason": "the contract says so"}
        )
        self.call("get", f"{path}/timeline")

    def _move(self) -> None:
        exported = self.api.get("/v1/users/u-1/export")
        assert exported["Content-Type"] == "application/jsonl"
        lines = b"".join(exported.streaming_content).decode()
        self.operations["GET /v1/users/{user_id}/export"] = {"request": None, "status": "200", "answer": lines[:800]}
        line = json.dumps({"role": "user", "content": "hello", "created_at": "2026-03-01T18:30:00+04:00"}) + "\n"
        path = "/v1/users/u-2/import?format=jsonl"
        response = self.api.client.post(path, line.encode(), content_type="application/jsonl")
        self._keep("POST /v1/users/{user_id}/import", line, check_exchange("post", path[:22], None, response))
        later = {"Prefer": "respond-async"}
        accepted = self.api.client.post(path, line.encode(), content_type="application/jsonl", headers=later)
        check_exchange("post", path[:22], None, accepted)
        carry_out(self.tenant.id)
        self.call("get", accepted.headers["Location"])
        unwanted = self.api.client.post(path, line.encode(), content_type="application/jsonl", headers=later)
        self.call("delete", unwanted.headers["Location"])

    def _agree(self) -> None:
        put(self.tenant, "advice", "facts.budget", "answers", is_granted_by_default=True)
        self.call("get", "/v1/purposes")
        self.call("get", "/v1/users/u-1/consents")
        self.call("put", "/v1/users/u-1/consents", {"consents": {"advice": True}})

    def _visit(self) -> None:
        """Somebody's own page, in a session of another person for what cannot be undone."""
        allowed = ["read", "correct", "forget", "pause", "consent", "export", "erase"]
        link = self.call("post", "/v1/users/u-3/page-links", {"permissions": allowed, "locale": "ar", "theme": "dark"})
        backend, same = self.api, {"user_id": "u-3", "conversation_id": "c-3", "role": "user"}
        for said in ("my size is M", "I am allergic to wool"):
            backend.post("/v1/messages", {**same, "content": said})
        backend.post("/v1/users/u-3/episodes/close")
        body = {"namespace": ["notes"], "key": "tea", "value": {"colour": "green"}}
        header = {"X-UNDE-User": "u-3"}
        backend.client.put("/v1/store/items", body, content_type="application/json", headers=header)
        asked = {"user_id": "u-3", "conversation_id": "c-3", "query": "what should I wear?"}
        receipt = backend.post("/v1/context", asked).json()["receipt_id"]
        self.call("get", f"/v1/receipts/{receipt}/page")
        session = self.call("post", "/v1/me/session", {"link": link["url"]})["token"]
        bearer = {"Authorization": f"Bearer {session}"}
        self.api = Caller(Client(headers=bearer, raise_request_exception=False))
        self.call("get", "/v1/me")
        size, wool = self.call("get", "/v1/me/facts")["results"]
        self.call("put", f"/v1/me/facts/{size['id']}", {"value": "L"})
        self.call("post", f"/v1/me/facts/{wool['id']}/dispute")
        self.call("post", f"/v1/me/facts/{wool['id']}/confirm")
        for name in ("messages", "episodes", "items"):
            self.call("get", f"/v1/me/{name}")
        self.call("get", f"/v1/me/receipts/{receipt}")
        plan = self.call("post", "/v1/me/forget", {"fact_id": wool["id"]})["plan_id"]
        gone = self.api.post("/v1/me/forget", {"plan_id": plan}).json()
        self.call("post", f"/v1/me/forgets/{gone['batch_id']}/restore")
        self.call("get", "/v1/me/consents")
        self.call("put", "/v1/me/consents", {"consents": {"advice": True}})
        self.call("put", "/v1/me/pause", None)
        self.call("delete", "/v1/me/pause")
        lines = b"".join(self.api.get("/v1/me/export").streaming_content).decode()
        self.operations["GET /v1/me/export"] = {"request": None, "status": "200", "answer": lines[:800]}
        self.call("post", "/v1/me/erasure", {"word": "erase"})
        self.api = backend
        link = self.api.post("/v1/users/u-4/page-links").json()["url"]
        session = self.api.post("/v1/me/session", {"link": link}).json()["token"]
        self.api = Caller(Client(headers={"Authorization": f"Bearer {session}"}, raise_request_exception=False))
        self.call("delete", "/v1/me/session")
        self.api = backend

    def _ask_for_somebody(self) -> None:
        """As a privacy desk does, over OpenDSR."""
        body = make_request("u-4", status_callback_urls=["https://93.184.215.14/opendsr/callbacks"])
        self.call("post", "/opendsr/v2/requests", body)
        with tenant_scope(self.tenant.id):
            row = PrivacyRequest.objects.get()
        run_request(tenant_id=self.tenant.id, request_id=row.id, clock=timezone.now)
        path = f"/opendsr/v2/requests/{REQUEST_ID}"
        self.call("get", path)
        lines = b"".join(self.api.get(f"{path}/results").streaming_content).decode()
        name = "GET /opendsr/v2/requests/{subject_request_id}/results"
        self.operations[name] = {"request": None, "status": "200", "answer": lines[:800]}
        second = make_request("u-4", kind="erasure", subject_request_id=SECOND_ID)
        self.api.post("/opendsr/v2/requests", second)
        self.call("delete", f"/opendsr/v2/requests/{second['subject_request_id']}")

    def _forget(self) -> None:
        plan = self.call("post", "/v1/users/u-1/forget", {"query": "wool", "dry_run": True})
        done = self.call("post", "/v1/users/u-1/forget", {"plan_id": plan["plan_id"], "reason": "asked for it"})
        self.api.get(f"/v1/operations/{done['batch_id']}")  # its example is an import
        self.call("post", f"/v1/forgets/{done['batch_id']}/restore")
        self.call("post", f"/v1/messages/{self.message['id']}/forget", {"reason": "asked for it"})
        self.call("post", f"/v1/messages/{self.message['id']}/restore", {})
        self.call("patch", f"/v1/messages/{self.message['id']}", {"content": f"{SAID} يعني", "id": "m-1b"})
        self.call("get", f"/v1/messages/{self.message['id']}/history")
        extra = {"user_id": "u-1", "conversation_id": "c-1", "role": "user", "content": "never mind this"}
        self.call("delete", f"/v1/messages/{self.call('post', '/v1/messages', extra)['id']}")

        self.call("get", "/v1/users/u-1/sources")
        self.call("post", "/v1/users/u-1/sources/remove", {"via": "app", "dry_run": True})

    def _fail(self) -> None:
        message = {"user_id": "u-1", "conversation_id": "c-1", "content": "hello"}
        self.call("post", "/v1/messages", {**message, "role": "boss"})
        self.call("get", "/v1/users/nobody/facts")
        self.call("post", "/v1/messages", {**message, "role": "user", "id": "m-1"})
        self.call("post", "/v1/messages", {**message, "role": "assistant", "receipt_id": self.message["id"]})
        self._keep_error("get", "/v1/users", Client().get("/v1/users"))
        self._keep_error("get", "/v1/users", make_caller(self.tenant, Scope.WRITE).get("/v1/users"))
        long = self.api.client.post("/v1/search", b" " * (1024 * 1024 + 1), content_type="application/json")
        self._keep_error("post", "/v1/search", long)

    def _keep_error(self, method: str, path: str, response: Any) -> None:
        self._keep(path, None, check_exchange(method, path, None, response))

    def _erase(self) -> None:
        asked = self.call("post", "/v1/users/u-1/erasure", {"scope": "all", "reason": "user_request"})
        with tenant_scope(self.tenant.id):
            row = ErasureRequest.objects.get(id=asked["erasure_id"])
        run_erasure(user=UserRef(row.user_id, row.tenant_id), erasure_id=row.id, clock=timezone.now)
        self.call("get", f"/v1/erasures/{asked['erasure_id']}")


@pytest.fixture
def recorder(api: Caller, tenant: Any, opendsr: None, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setattr("config.api.endpoints.erasures.wake_worker", lambda: None)
    monkeypatch.setattr("config.me.doing.wake_worker", lambda: None)
    return Recorder(api, tenant)


def tidy(recorded: dict[str, Any]) -> dict[str, Any]:
    """The same with ids, times and hashes that do not change from one recording to the next."""
    text = json.dumps(recorded, ensure_ascii=False)
    names: dict[str, str] = {}

    def name(found: re.Match[str], form: str) -> str:
        return names.setdefault(found[0], form.format(len(names) + 1))

    ours, desks = "01920000-0000-7000-8000-{:012d}", (REQUEST_ID, SECOND_ID)
    text = UUID.sub(lambda found: found[0] if found[0] in desks else name(found, ours), text)
    text = NOW.sub("2026-03-02T08:00:00+00:00", text)
    text = KEY.sub("unde_0a1b2c3d_the-secret-of-the-key", text)
    text = PREFIX.sub('"prefix": "0a1b2c3d"', text)
    text = CURSOR.sub('"next": "bmV4dCBwYWdl"', text)
    text = LINK.sub("/memory/open/the-secret-of-the-link", text)
    text = ENCODED.sub('"encoded_request": "eyJyZWd1bGF0aW9uIjogImdkcHIiLCDigKZ9"', text)
    text = FOLLOWED.sub("/memory/erased/its-name", text)
    text = SESSION.sub("undev_the-secret-of-the-session", text)
    text = SECRET.sub("whsec_c2hvd24gb25jZSBhbmQgbmV2ZXIgYWdhaW4gdG8gYW55", text)
    text = text.replace("https://93.184.215.14/", "https://hooks.example.com/")
    return steady(json.loads(HASH.sub("00" * 32, text)))


def steady(part: Any, *, is_timing: bool = False) -> Any:
    """The same with timings of one length and short fractions: a recording differs from the last by what changed."""
    if isinstance(part, dict):
        return {key: steady(value, is_timing=is_timing or key == "timings_ms") for key, value in part.items()}
    if isinstance(part, list):
        return [steady(value) for value in part]
    if isinstance(part, float):
        return 1.5 if is_timing else round(part, 3)
    return part


def test_every_operation_answers_what_its_example_shows(recorder: Recorder) -> None:
    recorder.walk()
    assert set(recorder.operations) == {name for name, _ in list_operations()}
    assert {"400", "401", "403", "404", "409", "413", "422"} <= set(recorder.errors)
    recorded = tidy({"operations": recorder.operations, "errors": recorder.errors})
    if os.environ.get("UNDE_RECORD_EXAMPLES"):
        EXAMPLES.write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    kept = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    for name, real in recorded["operations"].items():
        example = kept["operations"][name]
        assert example["status"] == real["status"], name
        assert list_names(example["answer"]) == list_names(real["answer"]), name
    assert {status: error["code"] for status, error in kept["errors"].items()} == {
        status: error["code"] for status, error in recorded["errors"].items()
    }


def list_names(answer: Any) -> list[str]:
    return sorted(answer) if isinstance(answer, dict) else []


def list_examples() -> Iterator[tuple[str, dict[str, Any], Any]]:
    for name, operation in list_operations():
        for where, part in [("request", operation.get("requestBody", {})), *operation["responses"].items()]:
            for media, content in part.get("content", {}).items():
                if media == "application/json":
                    for example in content.get("examples", {}).values():
                        yield f"{name} {where}", part, example["value"]


def test_every_example_fits_its_schema() -> None:
    faults = {name: list_faults(part, example) for name, part, example in list_examples()}
    assert {name: found for name, found in faults.items() if found} == {}


def test_every_operation_has_an_example_of_what_is_sent_and_answered() -> None:
    for name, operation in list_operations():
        good = [part for status, part in operation["responses"].items() if status < "300" and part.get("content")]
        parts = [*good[:1], *([operation["requestBody"]] if "requestBody" in operation else [])]
        for part in parts:
            assert all(content.get("examples") for content in part["content"].values()), name


def test_every_operation_and_every_field_is_described() -> None:
    missing: list[str] = []

    def look(schema: str, field: str, part: dict[str, Any]) -> None:
        if not any("description" in one for one in (part, *part.get("anyOf", ()))):
            missing.append(f"{schema}.{field}")

    walk_schemas(look)
    for name, operation in list_operations():
        missing += [name] if not re.search(NEEDS, operation["description"]) else []
        missing += [f"{name} {one['name']}" for one in operation.get("parameters", ()) if not one.get("description")]
    assert missing == [], "\n".join(missing)


def test_the_document_names_the_version_that_runs() -> None:
    project = tomllib.loads((Path(settings.BASE_DIR) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert read_document()["info"]["version"] == project["version"] == settings.UNDE_VERSION
    assert f"## {project['version']} " in (Path(settings.BASE_DIR) / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_field_that_the_document_does_not_declare_is_noticed() -> None:
    _, operation = find_operation("get", "/v1/users") or ("", {})
    part = operation["responses"]["200"]
    user = {"user_id": "u", "id": "01920000-0000-7000-8000-000000000001", "created_at": "2026-03-02T08:00:00+00:00"}
    assert list_faults(part, {"results": [user], "next": None}) == []
    for wrong in ({**user, "colour": "red"}, {**user, "id": "u"}, {**user, "created_at": "2026-03-02"}, {"id": None}):
        assert list_faults(part, {"results": [wrong], "next": None}) != []
