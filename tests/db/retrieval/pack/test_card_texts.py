"""What cards show is read by key, whatever the database believes of a user whom its statistics do not know."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.cards.texts import list_card_texts, make_card_texts_query
from tests.cast import Chatter

pytestmark = pytest.mark.django_db(transaction=True)


def find_leaves(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [leaf for part in plan["Plans"] for leaf in find_leaves(part)] if "Plans" in plan else [plan]


def test_texts_of_cards_are_read_by_key_where_the_statistics_expect_a_message_a_user(
    tenant: TenantRef, alice: Chatter, as_role: Callable[[str], None]
) -> None:
    """Twenty messages were looked for among all that the conversation has: milliseconds that grow with it."""
    for number in range(40):
        Chatter(tenant, f"guest-{number}").say("hello there")
    as_role("owner")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_message, memory_conversation, message_snippet")
    as_role("app")
    said = [alice.say(f"scarf number {number}").message_id for number in range(60)]
    wanted = said[::10]
    query = make_card_texts_query(user=alice.ref, message_ids=wanted, as_of=datetime(2100, 1, 1, tzinfo=UTC))
    with tenant_scope(tenant.id):
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")  # tables as small as these would be read whole
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query.text}", query.values)
            found = cursor.fetchone()[0]
        plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
        texts = list_card_texts(user=alice.ref, message_ids=wanted)
    assert [leaf for leaf in find_leaves(plan) if leaf.get("Rows Removed by Filter")] == []
    assert {texts[one].content for one in wanted} == {f"scarf number {number}" for number in range(0, 60, 10)}
