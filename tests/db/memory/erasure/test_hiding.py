"""A part erasure, seen from the moment it is asked for: no index, no neighbour and no way back holds the words."""

import pytest
from django.db import connection
from django.utils import timezone

from memory.errors import NotFound
from memory.models import Action, ForgetItem, Message
from memory.services.forgets import find_forget_of, forget_messages, restore_forget
from memory.tenants.scope import tenant_scope
from patterns.text.lexemes import hash_lexeme
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask

pytestmark = pytest.mark.django_db


def count_index_rows(person: Chatter, word: str) -> int:
    """Index rows, of whichever message, that hold the word."""
    with tenant_scope(person.tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT lexemes FROM message_index")
        return sum(hash_lexeme(word) in bytes(row[0]) for row in cursor.fetchall())


def test_the_words_leave_the_index_and_were_nowhere_but_in_their_row(alice: Chatter) -> None:
    alice.say("good morning")
    secret = alice.say("zqmarkerx is my secret")
    alice.hear("I see")
    assert count_index_rows(alice, "zqmarkerx") == 1
    ask(alice, scope="messages", message_ids=(secret.message_id,))
    assert count_index_rows(alice, "zqmarkerx") == 0


def test_the_description_of_the_answer_leaves_the_index_too(alice: Chatter) -> None:
    secret = alice.say("a secret")
    alice.hear("I see", response_description="zqmarkerx described")
    assert count_index_rows(alice, "zqmarkerx") == 1
    ask(alice, scope="messages", message_ids=(secret.message_id,))
    assert count_index_rows(alice, "zqmarkerx") == 0
    with tenant_scope(alice.tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM message_index")
        assert cursor.fetchone()[0] == 1


def test_a_forget_takes_the_words_of_the_description_too_and_its_undoing_brings_them_back(alice: Chatter) -> None:
    secret = alice.say("a secret")
    alice.hear("I see", response_description="zqmarkerx described")
    now = timezone.now()
    batch = forget_messages(user=alice.ref, message_ids=[secret.message_id], actor="key:test", now=now)
    assert count_index_rows(alice, "zqmarkerx") == 0
    restore_forget(user=alice.ref, batch_id=batch.batch_id, actor="key:test", now=now)
    assert count_index_rows(alice, "zqmarkerx") == 1


def test_a_forget_cannot_bring_back_what_an_erasure_has_taken_on(alice: Chatter) -> None:
    secret = alice.say("a secret")
    other = alice.say("another one")
    now = timezone.now()
    batch = forget_messages(
        user=alice.ref,
        message_ids=[secret.message_id, other.message_id],
        actor="key:test",
        now=now,
        reason="words of the user",
    )
    ask(alice, scope="messages", message_ids=(secret.message_id,))
    assert alice.read(find_forget_of, message_id=secret.message_id) is None
    with pytest.raises(NotFound):
        restore_forget(user=alice.ref, batch_id=batch.batch_id, message_id=secret.message_id, actor="key:test", now=now)
    restore_forget(user=alice.ref, batch_id=batch.batch_id, actor="key:test", now=now)
    with tenant_scope(alice.tenant.id):
        assert list(Message.objects.filter(forgotten_at=None).values_list("content", flat=True)) == ["another one"]


def test_the_reason_given_for_a_forget_goes_with_what_it_was_about(alice: Chatter) -> None:
    secret = alice.say("a secret")
    forget_messages(
        user=alice.ref, message_ids=[secret.message_id], actor="key:test", now=timezone.now(), reason="words"
    )
    ask(alice, scope="messages", message_ids=(secret.message_id,))
    with tenant_scope(alice.tenant.id):
        assert not ForgetItem.objects.exists()
        assert not Action.objects.exclude(sealed=None).exists()


def test_nothing_of_a_neighbouring_user_moves(alice: Chatter, bob: Chatter) -> None:
    for person in (alice, bob):
        person.say("zqmarkerx is my secret", client_id="m-1")
    ask(alice, scope="messages", message_ids=(alice.said[0].message_id,))
    assert count_index_rows(bob, "zqmarkerx") == 1
    assert bob.say("zqmarkerx is my secret", client_id="m-1").is_new is False
