"""An export holds everything once, and never more of it in memory than a page (SPEC M-7)."""

import json
from collections import Counter

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.services.exports import export_user
from tests.caller import make_caller
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

KINDS = ("conversation", "message", "action", "fact", "correction", "receipt")


@pytest.fixture
def talkative(alice: Chatter) -> Chatter:
    """Alice with more of every kind than fits a page of two."""
    api = make_caller(alice.tenant)
    for number, (size, other) in enumerate((("M", "S"), ("L", "M"), ("XL", "L"))):
        for role, content in (("user", f"My size is {size}"), ("assistant", f"You are size {size}"), ("user", "no")):
            said = {"user_id": "alice", "conversation_id": f"c{number}", "role": role, "content": content}
            assert api.post("/v1/messages", said).status_code == 201
        assert api.post("/v1/search", {"user_id": "alice", "query": f"size {other}"}).status_code == 200
    return alice


def test_every_row_is_in_the_export_once_whatever_the_size_of_a_page(
    talkative: Chatter, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list(export_user(user=talkative.ref, now=timezone.now()))
    counts = Counter(json.loads(line)["kind"] for line in whole)
    assert all(counts[kind] >= 3 for kind in KINDS), counts
    for page in (1, 2, 3):
        monkeypatch.setattr(settings.UNDE_TUNING, "EXPORT_ROWS_AT_ONCE", page)
        assert list(export_user(user=talkative.ref, now=timezone.now()))[1:] == whole[1:]


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_rows_come_before_the_last_are_read(
    talkative: Chatter, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "EXPORT_ROWS_AT_ONCE", 1)
    lines = export_user(user=talkative.ref, now=timezone.now())
    next(line for line in lines if json.loads(line)["kind"] == kind)
    with CaptureQueriesContext(connection) as later:
        rest = [json.loads(line) for line in lines]
    table = {
        "conversation": "memory_conversation",
        "message": "memory_message",
        "action": "memory_action",
        "fact": "user_knowledge",
        "correction": "memory_correction_log",
        "receipt": "retrieval_receipt",
    }[kind]
    reads = [query for query in later if f'FROM "{table}"' in query["sql"]]
    assert len(reads) >= sum(line["kind"] == kind for line in rest) >= 2
