"""Messages in over HTTP: stored once, answered the same, refused with a code that names the field."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from memory.models import Conversation, FactRow, Message, User
from memory.tenants.scope import tenant_scope
from tests.api.conftest import Caller, get_error


def count_messages(tenant: Any) -> int:
    with tenant_scope(tenant.id):
        return Message.objects.count()


def test_a_message_is_stored_and_answers_what_it_taught(api: Caller):
    response = api.send("مقاسي M بس مابي open shoulders", id="m-1")
    body = response.json()
    assert response.status_code == 201
    assert body["client_id"] == "m-1"
    assert body["language"] == "mixed"
    assert [(f["knowledge_type"], f["knowledge_key"], f["value"], f["action"]) for f in body["facts"]] == [
        ("body_params", "size", "M", "added"),
        ("hard_ban", "open_shoulders", "open_shoulders", "added"),
    ]
    assert body["corrections"] == []


def test_the_same_id_twice_stores_once_and_answers_the_same(api: Caller, tenant: Any):
    first = api.send("мой размер M", id="m-1")
    again = api.send("мой размер M", id="m-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert count_messages(tenant) == 1


def test_the_first_answer_is_given_even_after_the_fact_moved_on(api: Caller):
    first = api.send("мой размер M", id="m-1").json()
    api.send("мой размер L", id="m-2")
    assert api.send("мой размер M", id="m-1").json() == first


def test_the_same_id_with_other_content_is_refused(api: Caller, tenant: Any):
    api.send("one", id="m-1")
    assert "id" in get_error(api.send("two", id="m-1"), 409, "duplicate_id")
    assert count_messages(tenant) == 1


def test_an_id_is_unique_in_its_conversation_only(api: Caller, tenant: Any):
    assert api.send("one", id="m-1").status_code == 201
    assert api.send("two", id="m-1", conversation_id="c-2").status_code == 201
    assert api.send("three", id="m-1", user_id="bob").status_code == 201
    assert count_messages(tenant) == 3


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"role": "robot"}, "role"),
        ({"colour": "red"}, "colour"),
        ({"user_id": ""}, "user_id"),
        ({"user_id": "x" * 129}, "user_id"),
        ({"conversation_id": 7}, "conversation_id"),
        ({"content": ""}, "content"),
        ({"content": " \n"}, "content"),
        ({"content": None}, "content"),
        ({"content": "x" * 200_001}, "content"),
        ({"created_at": "2026-03-02T12:00:00"}, "created_at"),
        ({"created_at": "yesterday"}, "created_at"),
        ({"created_at": "2126-03-02T12:00:00+04:00"}, "created_at"),
        ({"created_at": "1066-03-02T12:00:00+04:00"}, "created_at"),
        ({"memory_type": "gossip"}, "memory_type"),
        ({"mood": "m" * 41}, "mood"),
        ({"id": ""}, "id"),
        ({"reply_to_id": "not-a-uuid"}, "reply_to_id"),
        ({"reply_to_id": str(uuid4())}, "reply_to_id"),
        ({"replaces_id": str(uuid4())}, "replaces_id"),
        ({"response_description": "for replies"}, "response_description"),
        ({"receipt_id": str(uuid4())}, "receipt_id"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"big": "x" * 20_000}}, "metadata"),
        ({"content": [{"type": "video"}]}, "content[0].type"),
        ({"content": [{"type": "text"}]}, "content[0]"),
        ({"content": [{"type": "image", "security_status": "safe"}]}, "content[0]"),
        ({"content": []}, "content"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_stored(api: Caller, tenant: Any, change: dict[str, Any], field: str):
    body = {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": "hello", **change}
    assert field in get_error(api.post("/v1/messages", body), 400, "invalid_request")
    assert count_messages(tenant) == 0


@pytest.mark.parametrize("missing", ["user_id", "conversation_id", "role", "content"])
def test_a_missing_field_is_named(api: Caller, missing: str):
    body = {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": "hello"}
    del body[missing]
    assert get_error(api.post("/v1/messages", body), 400, "invalid_request") == {missing: "is required"}


def test_a_reply_can_name_only_a_receipt_of_its_user(api: Caller, tenant: Any):
    get_error(api.send("hi", role="assistant", receipt_id=str(uuid4())), 422, "unknown_receipt")
    assert count_messages(tenant) == 0


def test_an_unsafe_reference_refuses_the_whole_message(api: Caller, tenant: Any):
    blocks = [
        {"type": "text", "text": "look"},
        {"type": "image", "media_id": "i-1", "text_fallback": "a dress", "security_status": "pending"},
    ]
    assert "content[1].security_status" in get_error(api.send(blocks), 400, "unsafe_block")
    assert count_messages(tenant) == 0


def test_blocks_are_kept_and_their_text_is_what_counts(api: Caller):
    blocks = [
        {"type": "text", "text": "мой размер M"},
        {"type": "image", "media_id": "i-1", "text_fallback": "a red dress", "security_status": "safe"},
    ]
    body = api.send(blocks).json()
    assert [fact["value"] for fact in body["facts"]] == ["M"]
    stored = api.get("/v1/users/alice/messages").json()["results"][0]
    assert stored["content"] == "мой размер M\na red dress"
    assert stored["blocks"] == blocks


def test_text_is_kept_word_for_word(api: Caller):
    text = " Tab\tand  spaces,\u200b zero-width, ‏rtl, emoji 👗, ﷺ, e\u0301, line\r\nbreak "
    api.send(text)
    assert api.get("/v1/users/alice/messages").json()["results"][0]["content"] == text


def test_imported_history_gets_dates_from_its_own_time(api: Caller):
    body = api.send("через 2 недели свадьба сестры", created_at="2024-03-02T12:00:00+04:00").json()
    (fact,) = body["facts"]
    assert (fact["action"], fact["expires_at"][:10]) == ("stored_inactive", "2024-03-16")
    assert api.get("/v1/users/alice/facts").json()["results"] == []


def test_an_older_imported_statement_never_overwrites_the_present(api: Caller):
    api.send("мой размер M")
    late = api.send("мой размер S", created_at=(timezone.now() - timedelta(days=300)).isoformat()).json()
    assert late["facts"][0]["action"] == "stored_inactive"
    assert [fact["value"] for fact in api.get("/v1/users/alice/facts").json()["results"]] == ["M"]


def test_every_message_has_its_language(api: Caller):
    said = {"Вот платья": "ru", "Here you go": "en", "تفضلي الفساتين": "ar", "Смотри what I found": "mixed"}
    assert {text: api.send(text, role="assistant").json()["language"] for text in said} == said


def test_only_users_teach_facts(api: Caller):
    assert api.send("мой размер M", role="assistant").json()["facts"] == []
    assert api.send("мой размер M", role="system").json()["facts"] == []


def test_an_edit_takes_the_place_of_the_older_version(api: Caller):
    first = api.send("мой размер M").json()
    edited = api.send("мой размер L", replaces_id=first["id"]).json()
    assert [(f["value"], f["action"]) for f in edited["facts"]] == [("M", "deactivated"), ("L", "added")]
    assert [fact["value"] for fact in api.get("/v1/users/alice/facts").json()["results"]] == ["L"]
    found = api.post("/v1/search", {"user_id": "alice", "query": "размер"}).json()["results"]
    assert [hit["message_id"] for hit in found] == [edited["id"]]


def test_a_regenerated_reply_leaves_its_sibling_out_of_packs(api: Caller):
    question = api.send("what shoes?").json()["id"]
    api.send("red heels", role="assistant", reply_to_id=question)
    api.send("blue loafers", role="assistant", reply_to_id=question)
    pack = api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "and now?"}).json()
    assert [m["content"] for m in pack["recent_messages"]] == ["what shoes?", "blue loafers"]


# --- batches ----------------------------------------------------------------------------------------------------------


def make_item(content: str = "hello", **more: Any) -> dict[str, Any]:
    return {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": content, **more}


def test_a_batch_answers_in_order_and_one_bad_item_does_not_lose_the_others(api: Caller, tenant: Any):
    items = [
        make_item("мой размер S", id="1"),
        make_item(role="robot"),
        make_item("allergic to wool", user_id="bob", id="2"),
        make_item("мой размер M", id="3"),
        make_item("nul \x00 byte"),
        make_item("other words", id="1"),
        make_item("мой размер M", id="3"),
        {"nonsense": True},
    ]
    response = api.post("/v1/messages/batch", {"messages": items})
    results = response.json()["results"]
    assert response.status_code == 200
    assert [r.get("error", {}).get("code", "stored") for r in results] == [
        "stored", "invalid_request", "stored", "stored", "nul_byte", "duplicate_id", "stored", "invalid_request",
    ]  # fmt: skip
    assert [f["action"] for f in results[3]["facts"]] == ["superseded"]
    assert results[6] == results[3]
    assert count_messages(tenant) == 3


def test_of_two_replies_in_one_batch_the_later_takes_the_place_of_the_other(api: Caller):
    question = api.send("what shoes?").json()["id"]
    replies = [make_item(text, role="assistant", reply_to_id=question) for text in ("red heels", "blue heels")]
    earlier, later = api.post("/v1/messages/batch", {"messages": replies}).json()["results"]
    hits = api.post("/v1/search", {"user_id": "alice", "query": "heels"}).json()["results"]
    found = [hit["message_id"] for hit in hits]
    assert later["id"] in found
    assert earlier["id"] not in found


def test_in_a_batch_a_denial_answers_the_reply_that_stands(api: Caller):
    api.send("my size is M, my budget is 500")
    question = api.send("what do you know of me?").json()["id"]
    told = ("Your size is M, right?", "Your budget is 500, noted.")
    replies = [make_item(text, role="assistant", reply_to_id=question) for text in told]
    denied = api.post("/v1/messages/batch", {"messages": [*replies, make_item("no, that's wrong")]}).json()["results"][
        2
    ]
    assert [(fact["value"], fact["action"]) for fact in denied["facts"]] == [(500, "deactivated")]


def test_a_batch_folds_facts_and_corrections_in_message_order(api: Caller):
    items = [
        make_item("мой размер M"),
        make_item("Here are dresses in size M", role="assistant"),
        make_item("لا غلط، مو M، أنا S"),
        make_item("у меня аллергия на шерсть"),
    ]
    api.post("/v1/messages/batch", {"messages": items})
    facts = api.get("/v1/users/alice/facts").json()["results"]
    assert [(f["knowledge_key"], f["value"]) for f in facts] == [("size", "S"), ("wool", "wool")]


def list_versions(tenant: Any, user: str) -> list[tuple[Any, ...]]:
    """What is stored of a user's facts, by their places instead of their ids."""
    with tenant_scope(tenant.id):
        user_id = User.objects.get(external_id=user).id
        rows = list(FactRow.objects.filter(user_id=user_id).order_by("knowledge_type", "version", "log_position"))
    places = {row.id: place for place, row in enumerate(rows)}
    return [
        (
            row.knowledge_type,
            row.version,
            row.is_active,
            row.is_disputed,
            row.valid_at,
            row.invalid_at,
            row.last_validated_at,
            row.expires_at,
            row.confidence,
            row.provenance,
            len(row.evidence_message_ids),
            row.superseded_by and places[row.superseded_by],
        )
        for row in rows
    ]


def test_a_batch_leaves_the_same_rows_as_its_messages_one_by_one(api: Caller, tenant: Any):
    told = ["мой размер M", "my size is L", "my size is L", "بجت 500 درهم", "бюджет до 700 дирхам", "my size is S"]
    more = ["my size is XL", "no, my size is M", "I'm allergic to wool", "my size is M", "бюджет до 900 дирхам"]
    for part, texts in enumerate((told, more)):
        items = [
            make_item(text, created_at=f"2026-03-0{part + 1}T10:{minute:02}:00Z") for minute, text in enumerate(texts)
        ]
        for item in items:
            assert api.post("/v1/messages", {**item, "user_id": "bob"}).status_code == 201
        api.post("/v1/messages/batch", {"messages": items})
    versions = list_versions(tenant, "alice")
    assert versions == list_versions(tenant, "bob")
    assert len(versions) > 6 and sum(is_active for _, _, is_active, *_ in versions) == 3


@pytest.mark.parametrize("count", [0, 501])
def test_a_batch_has_one_to_500_messages(api: Caller, tenant: Any, count: int):
    assert "messages" in get_error(
        api.post("/v1/messages/batch", {"messages": [make_item()] * count}), 400, "invalid_request"
    )
    assert count_messages(tenant) == 0


def test_500_messages_go_in_at_once_in_order(api: Caller):
    items = [make_item(f"message number {i}", id=str(i)) for i in range(500)]
    results = api.post("/v1/messages/batch", {"messages": items}).json()["results"]
    assert len({result["id"] for result in results}) == 500
    page = api.get("/v1/users/alice/messages", limit=200).json()
    seen = [message["client_id"] for message in page["results"]]
    while page["next"]:
        page = api.get("/v1/users/alice/messages", limit=200, after=page["next"]).json()
        seen += [message["client_id"] for message in page["results"]]
    assert seen == [str(i) for i in range(500)]


def test_two_megabytes_are_too_much_for_one_message(api: Caller, tenant: Any):
    get_error(api.send("x" * 2_000_000), 413, "body_too_large")
    assert count_messages(tenant) == 0


# --- reading ----------------------------------------------------------------------------------------------------------


def test_messages_are_listed_by_conversation_oldest_first(api: Caller):
    api.send("one")
    api.send("two", conversation_id="c-2")
    api.send("three")
    listed = api.get("/v1/users/alice/messages", conversation_id="c-1").json()
    assert [m["content"] for m in listed["results"]] == ["one", "three"]
    assert listed["next"] is None
    assert api.get("/v1/users/alice/messages", conversation_id="never").json() == {"results": [], "next": None}


def test_order_holds_within_one_microsecond(api: Caller):
    same = timezone.now().isoformat()
    api.post("/v1/messages/batch", {"messages": [make_item(str(i), created_at=same) for i in range(20)]})
    assert [m["content"] for m in api.get("/v1/users/alice/messages").json()["results"]] == [str(i) for i in range(20)]


def test_users_and_conversations_are_listed_page_by_page(api: Caller):
    for name in ("ann", "ben", "cat"):
        api.send(user_id=name)
    page = api.get("/v1/users", limit=2).json()
    rest = api.get("/v1/users", limit=2, after=page["next"]).json()
    assert [u["user_id"] for u in page["results"] + rest["results"]] == ["ann", "ben", "cat"]
    assert rest["next"] is None
    api.send(user_id="ann", conversation_id="c-2")
    listed = api.get("/v1/users/ann/conversations").json()["results"]
    assert [(c["conversation_id"], c["messages"]) for c in listed] == [("c-1", 1), ("c-2", 1)]


def test_an_unknown_user_is_a_coded_404(api: Caller):
    for path in ("messages", "conversations", "facts", "export"):
        assert "user_id" in get_error(api.get(f"/v1/users/nobody/{path}"), 404, "user_not_found")


def test_a_message_counts_as_pending_for_extraction(api: Caller, tenant: Any):
    for i in range(3):
        api.send(str(i))
    with tenant_scope(tenant.id):
        assert Conversation.objects.get().pending_count == 3


def test_one_by_one_and_in_a_batch_the_same_rows_are_written(api: Caller, tenant: Any):
    talk = [
        {"content": "just chatting about the weather", "speaker": "Anna", "mood": "calm", "metadata": {"page": 3}},
        {"content": "I see", "role": "assistant", "response_description": "a picture of shoes"},
        {
            "content": [{"type": "text", "text": "and back again after lunch"}],
            "created_at": "2026-03-02T12:00:00+04:00",
        },
        {"content": "this one is a year older", "created_at": "2025-03-02T12:00:00+04:00", "memory_type": "event"},
        {"content": "quiet", "role": "system"},
        {"content": "the weather stays fine", "id": None},
    ]
    for user in ("one-by-one", "batch"):
        common = {"user_id": user, "conversation_id": "c-2", "role": "user"}
        items = [
            {**common, "id": f"m-{place}", "created_at": "2026-03-01T12:00:00Z", **each}
            for place, each in enumerate(talk)
        ]
        api.post("/v1/messages", {**common, "content": "hello", "conversation_id": "c-1"})
        if user == "batch":
            assert all(
                "id" in answer for answer in api.post("/v1/messages/batch", {"messages": items}).json()["results"]
            )
        else:
            assert [api.post("/v1/messages", item).status_code for item in items] == [201] * len(items)
    rows = [list_written(tenant, user) for user in ("one-by-one", "batch")]
    assert len(rows[0]) == 7
    assert rows[0] == rows[1]


def list_written(tenant: Any, user: str) -> list[tuple[Any, ...]]:
    """What is stored of a user's messages, without ids and times of arrival."""
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT c.external_id, c.last_seq, c.last_message_at IS NULL, c.pending_count, m.seq, m.client_id, m.content_hash,
                   m.role, m.speaker, m.content, m.blocks, m.response_description, m.memory_type, m.mood, m.metadata,
                   m.language, CASE WHEN c.external_id = 'c-2' THEN m.created_at END, i.session_no, i.role, i.memory_type,
                   i.speaker, i.traits, i.len, i.tokeniser, i.lexemes, i.more_lexemes, e.dimensions, e.embedding::text
              FROM memory_message m JOIN memory_user u ON u.id = m.user_id
              JOIN memory_conversation c ON c.user_id = m.user_id AND c.id = m.conversation_id
              LEFT JOIN message_index i ON i.user_id = m.user_id AND i.message_id = m.id
              LEFT JOIN message_embedding e ON e.user_id = m.user_id AND e.message_id = m.id
             WHERE u.external_id = %s ORDER BY c.external_id, m.seq
            """,
            [user],
        )
        return cursor.fetchall()
