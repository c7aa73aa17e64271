"""`manage.py explain_pack`: a query as a person can follow it, a receipt as it was and what has changed."""

from datetime import UTC, datetime, timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from memory.ids import new_id
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from retrieval.index.forgetting import forget_messages
from retrieval.models import RetrievalReceipt
from retrieval.receipts.reading import ReceiptNotFound, ReceiptPruned, get_receipt
from tests.cast import Chatter
from tests.db.retrieval.conftest import build_pack

ASKED = "where are my pearls from, do you remember?"


def explain(person: Chatter, **options: object) -> str:
    """What the command prints."""
    out = StringIO()
    slug = Tenant.objects.get(id=person.tenant.id).slug
    call_command("explain_pack", tenant=slug, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def pearls(alice: Chatter) -> Chatter:
    alice.say("My pearls are from Bahrain", conversation_id="old")
    return alice


def test_a_query_is_followed_through_all_stages_without_a_receipt_and_without_text(pearls: Chatter):
    printed = explain(pearls, user=pearls.name, query=ASKED)
    found = str(pearls.said[0].message_id)
    for stage in ("1. question", "2. candidates: 1 of 1", "3. cards", "4. privacy guard", "5. budget", "6. sent"):
        assert stage in printed
    assert f"{found} " in printed and "lexical 1.000" in printed and "chosen" in printed
    assert "Bahrain" not in printed
    with tenant_scope(pearls.tenant.id):
        assert RetrievalReceipt.objects.count() == 0


def test_excerpts_are_shown_when_asked_for(pearls: Chatter):
    assert "My pearls are from Bahrain" in explain(pearls, user=pearls.name, query=ASKED, text=True)


def test_a_receipt_is_replayed_as_of_its_time(pearls: Chatter):
    pack = build_pack(pearls, ASKED)
    pearls.say("My pearls are from Kuwait after all", conversation_id="old", created_at=datetime.now(UTC))
    printed = explain(pearls, receipt=pack.receipt_id, query=ASKED)
    assert "same rendering: yes" in printed
    assert printed.endswith("changed since:\n   nothing\n")


def test_a_receipt_names_what_was_forgotten_since(pearls: Chatter):
    pack = build_pack(pearls, ASKED)
    gone = pearls.said[0].message_id
    with tenant_scope(pearls.tenant.id):
        forget_messages(user=pearls.ref, message_ids=[gone])
    printed = explain(pearls, receipt=pack.receipt_id, query=ASKED)
    assert "same rendering: no" in printed
    assert f"message {gone} was chosen then and is not now" in printed


def test_another_question_is_no_replay(pearls: Chatter):
    pack = build_pack(pearls, ASKED)
    with pytest.raises(CommandError, match="not the question"):
        explain(pearls, receipt=pack.receipt_id, query="something else")


def test_an_old_receipt_is_said_to_be_pruned_and_an_unknown_one_is_not_found(alice: Chatter):
    now = datetime.now(UTC)
    old = UUID(int=(int((now - timedelta(days=92)).timestamp() * 1000) << 80) | (new_id().int & ((1 << 80) - 1)))
    with tenant_scope(alice.tenant.id):
        with pytest.raises(ReceiptPruned) as pruned:
            get_receipt(receipt_id=old, tenant_id=alice.tenant.id)
        with pytest.raises(ReceiptNotFound):
            get_receipt(receipt_id=new_id(), tenant_id=alice.tenant.id)
    assert (pruned.value.status, pruned.value.code) == (410, "receipt_pruned")
