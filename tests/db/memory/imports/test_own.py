"""Our own export comes back as the same memory elsewhere, and twice is once (SPEC M-7)."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from corrections.models import CorrectionLog
from memory.imports.own import IdTaken
from memory.imports.running import import_file, import_memory
from memory.imports.types import ImportOutcome
from memory.models import Conversation, Message
from memory.rebuild.running import compare_user
from memory.selectors.users import get_user
from memory.services.exports import export_user
from memory.services.facts import dispute_fact, retract_fact
from memory.services.forgets import forget_messages
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef, UserRef
from retrieval.models import RetrievalReceipt
from tests.caller import make_caller
from tests.cast import Chatter
from tests.db.memory.rebuild.test_rebuild import act, list_all_facts, run_demo

pytestmark = pytest.mark.django_db


def export(tenant: TenantRef, user: UserRef) -> bytes:
    return b"".join(export_user(user=user, now=timezone.now()))


def bring_in(tenant: TenantRef, data: bytes, *, name: str = "alice", file_format: str = "unde") -> ImportOutcome:
    return import_memory(
        tenant=tenant, user_external_id=name, data=data, file_format=file_format, actor="key:test", now=timezone.now()
    )


def list_facts_of(tenant: TenantRef, name: str) -> list[tuple[Any, ...]]:
    with tenant_scope(tenant.id):
        facts = list_all_facts(user=get_user(tenant_id=tenant.id, external_id=name))
    return [
        (f.slot, f.value, f.version, f.is_active, f.is_disputed, f.valid_at, f.invalid_at, f.expires_at, f.confidence)
        for f in facts
    ]


def search(tenant: TenantRef, name: str, query: str) -> list[tuple[Any, ...]]:
    answer = make_caller(tenant).post("/v1/search", {"user_id": name, "query": query}).json()
    return [(hit["message_id"], round(hit["score"], 6)) for hit in answer["results"]]


def test_the_demo_is_the_same_memory_at_another_tenant(alice: Chatter, other_tenant: TenantRef) -> None:
    users = run_demo(alice)
    layla = next(user for user in users if user.external_id.startswith("layla"))
    outcome = bring_in(other_tenant, export(alice.tenant, layla), name="layla")
    assert (outcome.failed, outcome.differing_facts) == (0, 0)
    assert list_facts_of(other_tenant, "layla") == list_facts_of(alice.tenant, layla.external_id)
    for query in ("emerald dress", "свадьба", "silk", "meeting"):
        assert search(other_tenant, "layla", query) == search(alice.tenant, layla.external_id, query)


def test_what_people_did_is_taken_over(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M, I am allergic to nickel")
    act(alice, dispute_fact, ("body_params", "size"))
    act(alice, retract_fact, ("allergy", "nickel"))
    forgotten = alice.say("my budget is 500 aed")
    forget_messages(user=alice.ref, message_ids=[forgotten.message_id], actor="key:test", now=timezone.now())
    bring_in(other_tenant, export(alice.tenant, alice.ref))
    assert list_facts_of(other_tenant, "alice") == list_facts_of(alice.tenant, "alice")
    with tenant_scope(other_tenant.id):
        there = get_user(tenant_id=other_tenant.id, external_id="alice")
    assert [each for each in compare_user(tenant=other_tenant, user=there).differences if each.reason == "drift"] == []


def test_an_import_twice_stores_once(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    data = export(alice.tenant, alice.ref)
    first, second = bring_in(other_tenant, data), bring_in(other_tenant, data)
    assert (first.messages, first.actions, second.messages, second.actions) == (1, 1, 0, 0)
    assert second.repeated == 2
    assert len(list_facts_of(other_tenant, "alice")) == 1


def test_an_export_that_grew_adds_what_is_new(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    bring_in(other_tenant, export(alice.tenant, alice.ref))
    alice.say("my size is S")
    outcome = bring_in(other_tenant, export(alice.tenant, alice.ref))
    assert outcome.messages == 1
    assert list_facts_of(other_tenant, "alice") == list_facts_of(alice.tenant, "alice")


def test_an_export_joins_a_memory_that_is_there_already(alice: Chatter, other_tenant: TenantRef) -> None:
    there = Chatter(other_tenant, "alice")
    there.say("I am allergic to nickel")
    alice.say("my size is M")
    bring_in(other_tenant, export(alice.tenant, alice.ref))
    assert there.list_facts() == {("allergy", "nickel"): "nickel", ("body_params", "size"): "M"}


def test_the_same_ids_are_never_given_to_two_users_of_a_tenant(alice: Chatter) -> None:
    alice.say("my size is M")
    with pytest.raises(IdTaken):
        bring_in(alice.tenant, export(alice.tenant, alice.ref), name="alice-two")


def test_a_bad_line_is_named_and_the_others_are_taken(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    data = b"no json\n" + export(alice.tenant, alice.ref) + b'{"kind": "message", "id": "x"}\n{"kind": "action"}\n'
    outcome = bring_in(other_tenant, data)
    assert (outcome.messages, outcome.failed) == (1, 3)
    assert (outcome.errors[0].line, outcome.errors[0].code) == (1, "invalid_json")


def test_a_fact_line_alone_is_no_fact(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("hello there")
    line = (
        b'{"kind":"fact","id":"01934a3e-0000-7000-8000-000000000000","knowledge_type":"allergy","knowledge_key":"wool",'
        b'"value":"wool","confidence":1.0,"extracted_from":"explicit","provenance":"confirmed_by_user",'
        b'"valid_at":"2026-01-01T00:00:00Z","last_validated_at":"2026-01-01T00:00:00Z","log_position":1}\n'
    )
    bring_in(other_tenant, export(alice.tenant, alice.ref) + line)
    assert list_facts_of(other_tenant, "alice") == []


def ask_for_pack(tenant: TenantRef, query: str) -> str:
    body = {"user_id": "alice", "conversation_id": "chat", "query": query}
    answer = make_caller(tenant).post("/v1/context", body)
    assert answer.status_code == 200
    return str(answer.json()["receipt_id"])


def test_receipts_and_corrections_are_taken_over_and_twice_is_once(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    receipt_id = ask_for_pack(alice.tenant, "which size?")
    alice.hear("You wear M", receipt_id=receipt_id)
    alice.say("no, my size is S")
    data = export(alice.tenant, alice.ref)
    first, second = bring_in(other_tenant, data), bring_in(other_tenant, data)
    assert (first.accounts, first.failed, first.differing_facts) == (2, 0, 0)
    assert (second.accounts, second.failed) == (0, 0)
    here, there = (
        make_caller(tenant).get(f"/v1/receipts/{receipt_id}").json() for tenant in (alice.tenant, other_tenant)
    )
    assert there == here
    with tenant_scope(other_tenant.id):
        user = get_user(tenant_id=other_tenant.id, external_id="alice")
        (correction,) = CorrectionLog.objects.filter(user_id=user.id)
    with tenant_scope(alice.tenant.id):
        original = CorrectionLog.objects.get(id=correction.id, user_id=alice.ref.id)
    for name in ("trigger_message_id", "correction_type", "language", "created_at", "set_knowledge_id"):
        assert getattr(correction, name) == getattr(original, name)
    with tenant_scope(other_tenant.id):
        receipt = RetrievalReceipt.objects.get(id=receipt_id, user_id=user.id)
        assert Conversation.objects.get(user_id=user.id, external_id="chat").id == receipt.conversation_id
    assert list_facts_of(other_tenant, "alice") == list_facts_of(alice.tenant, "alice")


def test_what_was_exported_is_exported_again_as_it_was(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("my size is M")
    alice.hear("You wear M", receipt_id=ask_for_pack(alice.tenant, "which size?"))
    alice.say("no, my size is S")
    data = export(alice.tenant, alice.ref)
    bring_in(other_tenant, data)
    with tenant_scope(other_tenant.id):
        there = get_user(tenant_id=other_tenant.id, external_id="alice")
    first, again = ([json.loads(line) for line in text.splitlines()] for text in (data, export(other_tenant, there)))
    for kind, left_out in (("message", ("user_id", "conversation_id")), ("correction", ()), ("fact", ())):
        lines, copies = ([line for line in text if line["kind"] == kind] for text in (first, again))
        assert lines
        for line, copy in zip(lines, copies, strict=True):
            assert {**copy, **dict.fromkeys(left_out)} == {**line, **dict.fromkeys(left_out)}


def import_in_pieces(tenant: TenantRef, data: bytes, report: Any = lambda line: None) -> ImportOutcome:
    return import_file(
        tenant=tenant,
        user_external_id="alice",
        source=BytesIO(data),
        file_format="unde",
        now=timezone.now(),
        report=report,
    )


def test_a_file_in_pieces_is_the_same_memory_as_the_file_at_once(
    alice: Chatter, other_tenant: TenantRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "IMPORT_LINES_AT_ONCE", 3)
    layla = next(user for user in run_demo(alice) if user.external_id.startswith("layla"))
    lines: list[int | None] = []
    outcome = import_in_pieces(other_tenant, export(alice.tenant, layla), lines.append)
    assert (outcome.failed, outcome.differing_facts) == (0, 0)
    assert len(lines) > 10
    assert lines.pop() is None
    assert lines == sorted(line for line in lines if line)
    assert list_facts_of(other_tenant, "alice") == list_facts_of(alice.tenant, layla.external_id)
    assert search(other_tenant, "alice", "emerald dress") == search(alice.tenant, layla.external_id, "emerald dress")


class Killed(BaseException):
    """Stands for the end of the process."""


def test_an_import_that_was_killed_between_any_two_pieces_goes_on_where_it_stopped(
    alice: Chatter, other_tenant: TenantRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "IMPORT_LINES_AT_ONCE", 2)
    alice.say("my size is M")
    alice.hear("You wear M", receipt_id=ask_for_pack(alice.tenant, "which size?"))
    alice.say("no, my size is S, allergic to nickel")
    alice.say("what about linen?", conversation_id="other")
    data = export(alice.tenant, alice.ref)
    pieces: list[int | None] = []

    def die_at(death: int) -> Any:
        def report(line: int | None) -> None:
            if len(pieces) == death:
                raise Killed
            pieces.append(line)

        return report

    for death in range(8):
        pieces.clear()
        with pytest.raises(Killed):
            import_in_pieces(other_tenant, data, die_at(death))
    outcome = import_in_pieces(other_tenant, data)
    assert outcome.differing_facts == 0
    assert list_facts_of(other_tenant, "alice") == list_facts_of(alice.tenant, "alice")
    with tenant_scope(other_tenant.id):
        there = get_user(tenant_id=other_tenant.id, external_id="alice")
        places = list(Message.objects.filter(user_id=there.id).order_by("id").values_list("id", "seq"))
    with tenant_scope(alice.tenant.id):
        assert places == list(Message.objects.filter(user_id=alice.ref.id).order_by("id").values_list("id", "seq"))
    assert compare_user(tenant=other_tenant, user=there).has_drift is False


def test_an_endless_line_is_refused_and_not_held(
    alice: Chatter, other_tenant: TenantRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "IMPORT_LONGEST_LINE", 5_000)
    alice.say("my size is M")
    data = b'{"kind": "' + b"x" * 20_000 + b'"}\n' + export(alice.tenant, alice.ref) + b"y" * 5_000
    outcome = import_in_pieces(other_tenant, data)
    assert [each.code for each in outcome.errors] == ["line_too_long", "line_too_long"]
    assert outcome.messages == 1
