"""What an erasure takes of a user's questions to corpora, whole or in part (SPEC G-2, D-47)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from retrieval.knowledge.answers.asking import check_answer, find_answer, keep_answer, word_answer
from retrieval.knowledge.answers.types import AskQuery
from retrieval.knowledge.models import AnswerReceipt, AskTurn
from retrieval.knowledge.planning.deciding import Switches
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.services.corpora import put_corpus
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out

pytestmark = pytest.mark.django_db


def ask_corpus(person: Chatter, question: str, *, conversation: str, now: datetime) -> None:
    with tenant_scope(person.tenant.id):
        put_corpus(
            tenant_id=person.tenant.id, external_id="guide", name=None, schema="documents", settings=None, now=now
        )
        corpus = get_corpus(tenant_id=person.tenant.id, external_id="guide")
        query = AskQuery(text=question, user=person.ref, conversation=conversation)
        asked = find_answer(corpus, query, switches=Switches(), now=now)
        keep_answer(asked, check_answer(asked, word_answer(asked, model=None)), switches=Switches(), now=now)


def list_left(user: UserRef) -> tuple[list[str], int]:
    """Conversations of the questions that are left, and how many receipts."""
    with tenant_scope(user.tenant_id):
        turns = AskTurn.objects.filter(user_id=user.id).order_by("asked_at")
        return [turn.conversation for turn in turns], AnswerReceipt.objects.filter(user_id=user.id).count()


@pytest.fixture
def asked(alice: Chatter, bob: Chatter) -> Chatter:
    """Three questions of Alice, a day between them, in two conversations that she also talks in; one of Bob."""
    now = timezone.now()
    for days, conversation in ((3, "private"), (2, "work"), (1, "private")):
        moment = now - timedelta(days=days)
        alice.say(f"hello {days}", conversation_id=conversation, created_at=moment, client_id=f"m-{days}")
        ask_corpus(alice, f"Question {days}?", conversation=conversation, now=moment)
    bob.say("hello", conversation_id="private")
    ask_corpus(bob, "Question?", conversation="private", now=now - timedelta(days=2))
    return alice


@pytest.mark.parametrize(
    ("target", "turns", "receipts"),
    [
        ({"scope": "conversation", "conversation_external_id": "private"}, ["work"], 3),
        ({"scope": "range", "said_from": 2.5, "said_to": 1.5}, ["private", "private"], 2),
        ({"scope": "range", "said_to": 1.5}, ["private"], 1),
        ({"scope": "all"}, [], 0),
    ],
)
def test_a_part_erasure_takes_the_questions_of_its_conversation_or_time(
    asked: Chatter, bob: Chatter, target: dict[str, Any], turns: list[str], receipts: int
) -> None:
    now, user = timezone.now(), asked.ref
    target = {name: now - timedelta(days=days) if isinstance(days, float) else days for name, days in target.items()}
    erasure = carry_out(asked, ask(asked, **target))
    assert erasure.status == "completed"
    assert list_left(user) == (turns, receipts)
    assert list_left(bob.ref) == (["private"], 1)


def test_an_erasure_of_single_messages_leaves_questions_that_are_no_messages(asked: Chatter) -> None:
    said = asked.say("a secret", client_id="m-9")
    carry_out(asked, ask(asked, scope="messages", message_ids=(said.message_id,)))
    assert list_left(asked.ref) == (["private", "work", "private"], 3)
