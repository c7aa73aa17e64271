"""Messages of other systems are taken word for word; what those systems derived teaches nothing (SPEC M-7, T-2)."""

import json
from typing import Any

import pytest
from django.utils import timezone

from memory.imports.running import import_memory
from memory.imports.types import ImportOutcome
from memory.selectors.messages import list_messages
from memory.types import TenantRef
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def bring_in(tenant: TenantRef, data: Any, file_format: str) -> ImportOutcome:
    raw = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode()
    return import_memory(
        tenant=tenant,
        user_external_id="alice",
        data=raw,
        file_format=file_format,
        actor="key:test",
        now=timezone.now(),
    )


def list_said(alice: Chatter) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in alice.read(list_messages, limit=100)]


def test_plain_messages_teach_what_they_say_in_the_order_of_their_times(alice: Chatter) -> None:
    lines = [
        {"role": "user", "content": "my size is S", "timestamp": "2025-03-02T10:00:00+04:00"},
        {"role": "human", "content": "my size is M", "timestamp": 1735689600},
        {"role": "ai", "content": "Noted.", "timestamp": 1735689601000, "id": "a-1"},
    ]
    outcome = bring_in(alice.tenant, "\n".join(map(json.dumps, lines)).encode(), "jsonl")
    assert (outcome.messages, outcome.failed) == (3, 0)
    assert list_said(alice) == [("user", "my size is M"), ("assistant", "Noted."), ("user", "my size is S")]
    assert alice.list_facts() == {("body_params", "size"): "S"}
    again = bring_in(alice.tenant, "\n".join(map(json.dumps, lines)).encode(), "jsonl")
    assert (again.messages, again.repeated) == (0, 3)


def test_a_line_without_time_role_or_text_is_named(alice: Chatter) -> None:
    lines = [
        {"role": "user", "content": "hello"},
        {"role": "stranger", "content": "hello", "timestamp": 1},
        {"role": "user", "content": None, "timestamp": 1},
        {"role": "user", "content": "hello", "timestamp": "yesterday"},
        {"role": "user", "content": "nul \x00", "timestamp": 1},
        {"role": "user", "content": "half \ud83d", "timestamp": 1},
    ]
    outcome = bring_in(alice.tenant, "\n".join(map(json.dumps, lines)).encode(), "jsonl")
    assert [(each.line, each.code, *each.fields) for each in outcome.errors] == [
        (1, "invalid_request", "timestamp"),
        (2, "invalid_request", "role"),
        (3, "invalid_request", "content"),
        (4, "invalid_request", "timestamp"),
        (5, "nul_byte"),
        (6, "invalid_utf8"),
    ]


def test_memories_of_mem0_are_found_and_are_no_facts(alice: Chatter) -> None:
    export = {
        "results": [
            {
                "id": "m-1",
                "memory": "Is allergic to nickel",
                "user_id": "alice",
                "metadata": {"topic": "health"},
                "categories": ["health"],
                "created_at": "2025-01-02T03:04:05-08:00",
            }
        ]
    }
    assert bring_in(alice.tenant, export, "mem0").messages == 1
    assert list_said(alice) == [("system", "Is allergic to nickel")]
    (message,) = alice.read(list_messages, limit=1)
    assert dict(message.metadata) == {
        "source": "mem0",
        "is_derived": True,
        "topic": "health",
        "categories": ["health"],
        "unde_told_by": {"via": "import", "client": "mem0"},
    }
    assert alice.list_facts() == {}


def test_threads_of_zep_keep_their_messages_and_its_facts_teach_nothing(alice: Chatter) -> None:
    export = {
        "threads": [
            {
                "thread_id": "t-1",
                "messages": [
                    {
                        "uuid": "u-1",
                        "role_type": "user",
                        "role": "Alice",
                        "content": "my size is M",
                        "created_at": "2025-01-02T03:04:05Z",
                    },
                    {"uuid": "u-2", "role": "assistant", "content": "Noted.", "created_at": "2025-01-02T03:04:06Z"},
                ],
            }
        ],
        "edges": [{"uuid": "e-1", "fact": "Alice is allergic to wool", "valid_at": "2025-01-02T03:04:05Z"}],
    }
    assert bring_in(alice.tenant, export, "zep").messages == 3
    assert alice.list_facts() == {("body_params", "size"): "M"}
    spoken = {message.content: message for message in alice.read(list_messages, limit=9)}
    assert spoken["my size is M"].speaker == "Alice"
    assert spoken["Alice is allergic to wool"].role == "system"


def test_documents_of_hindsight_that_are_conversations_become_messages(alice: Chatter) -> None:
    said = json.dumps(
        [{"role": "user", "content": "I am allergic to nickel"}, {"role": "assistant", "content": "Noted."}]
    )
    export = {
        "items": [
            {"id": "d-1", "bank_id": "b", "original_text": said, "created_at": "2025-01-02T03:04:05Z"},
            {"id": "d-2", "bank_id": "b", "original_text": "Notes of a call", "created_at": "2025-01-02T03:04:05Z"},
            {"id": "f-1", "text": "Alice wears XL", "type": "world", "mentioned_at": "2025-01-02T03:04:05Z"},
        ]
    }
    outcome = bring_in(alice.tenant, export, "hindsight")
    assert (outcome.messages, outcome.failed) == (4, 0)
    assert alice.list_facts() == {("allergy", "nickel"): "nickel"}
