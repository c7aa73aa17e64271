"""`rebuild --diff` finds index rows and vectors that are not what their messages give, and changes none (SPEC M-4)."""

from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.rebuild.running import compare_user, rebuild_user
from memory.services.forgets import forget_messages
from memory.tenants.models import Tenant
from tests.cast import Chatter

pytestmark = pytest.mark.django_db(transaction=True)

INDEX = "message_index"
VECTORS = "message_embedding"


def fill(person: Chatter) -> list[Any]:
    """A conversation with an edit, a forgotten message and one that answers another."""
    said = [person.say("I am looking for a linen dress"), person.hear("In which size?"), person.say("my size is M")]
    person.say("a linen coat I meant", replaces_id=said[0].message_id)
    gone = person.say("forget this")
    said.append(person.say("صوف ما ألبس", conversation_id="other"))
    forget_messages(user=person.ref, message_ids=[gone.message_id], actor="key:test", now=timezone.now())
    return said


def compare(person: Chatter) -> list[tuple[str, str, tuple[str, ...]]]:
    found = compare_user(tenant=person.tenant, user=person.ref).derived_differences
    return [(each.table, each.problem, each.columns) for each in found]


def test_an_index_as_ingest_wrote_it_is_what_a_rebuild_writes(alice: Chatter) -> None:
    fill(alice)
    assert compare(alice) == []


def test_each_kind_of_spoiled_row_is_named_and_left_alone(alice: Chatter, owner_connection: psycopg.Connection) -> None:
    said = fill(alice)
    owner_connection.execute(
        "UPDATE message_index SET len = len + 1 WHERE user_id = %s AND message_id = %s",
        [alice.ref.id, said[2].message_id],
    )
    owner_connection.execute(
        "DELETE FROM message_index WHERE user_id = %s AND message_id = %s", [alice.ref.id, said[3].message_id]
    )
    found = compare(alice)
    assert (INDEX, "missing", ()) in found
    assert (VECTORS, "missing", ()) in found
    (different,) = [columns for table, problem, columns in found if (table, problem) == (INDEX, "different")]
    assert "len" in different
    assert compare(alice) == found  # nothing was mended by looking


def test_the_command_names_rows_by_id_ends_with_one_and_a_rebuild_mends_them(
    alice: Chatter, owner_connection: psycopg.Connection
) -> None:
    said = fill(alice)
    owner_connection.execute("DELETE FROM message_embedding WHERE message_id = %s", [said[2].message_id])
    slug, out = Tenant.objects.get(id=alice.tenant.id).slug, StringIO()
    with pytest.raises(CommandError, match="1 rows differ without a reason"):
        call_command("rebuild", tenant=slug, user=alice.name, diff=True, stdout=out)
    assert f"drift: message_embedding of message {said[2].message_id} missing" in out.getvalue()
    assert "size" not in out.getvalue().replace(alice.name, "")
    rebuild_user(tenant=alice.tenant, user=alice.ref, now=timezone.now())
    assert compare(alice) == []
