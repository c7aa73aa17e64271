"""One question through all stages, drawn; packs made again; which packs used a message or a fact."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.episodes.anchoring import close_sessions
from memory.services.fact_inputs import FactInput
from memory.services.facts import put_facts
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from retrieval.models import RetrievalReceipt
from retrieval.replies.judging import check_replies
from tests.api.console.conftest import make_staff
from tests.cast import Chatter
from tests.db.retrieval.conftest import build_pack

pytestmark = pytest.mark.django_db

LogIn = Callable[[Role], Client]
SAID = "я решила: беру синее платье с длинным рукавом"
PRIVATE = "мы с мужем разводимся, я всю ночь плакала"
ASKED = "какое платье с рукавом я решила взять на вечеринку?"


@pytest.fixture
def talked(alice: Chatter) -> Chatter:
    alice.say(PRIVATE, conversation_id="old")
    alice.say("беру синее платье", conversation_id="old")
    alice.say(SAID, conversation_id="older")
    alice.say("мой размер M", conversation_id="older")
    return alice


def explore(browser: Client, person: Chatter, **form: Any) -> str:
    page = browser.post(reverse("console:explore_pack", args=[person.ref.id]), {"query": ASKED, **form})
    assert page.status_code == 200
    return page.content.decode()


def test_a_pack_shows_the_summaries_that_are_in_it(log_in: LogIn, alice: Chatter) -> None:
    for text in ("We talked of the trip to Rome.", "The hotel in Rome is near the river.", "Rome was lovely in May."):
        alice.say(text, conversation_id="trip")
        alice.clock += timedelta(hours=2)
    close_sessions(user=alice.ref, conversation_id=None, actor="key:test", now=timezone.now())
    page = explore(log_in(Role.OPERATOR), alice, query="Summarise what we said about Rome")
    assert '<span class="sent-kind">summary</span>' in page
    assert "episode</span>" in page


def test_a_question_is_drawn_through_all_stages_and_the_look_is_audited(log_in: LogIn, talked: Chatter) -> None:
    page = explore(log_in(Role.OPERATOR), talked)
    for stage in ("Question as read", "Candidates", "privacy guard", "Budget", "Pack"):
        assert stage in page
    assert SAID in page
    assert 'class="bar-words" style="width: ' in page
    assert "kept out: not about the question" in page
    assert "body_params" in page
    with tenant_scope(talked.tenant.id):
        assert AuditEvent.objects.get(action="user.explore_pack").object_ids == [talked.ref.id]
        assert RetrievalReceipt.objects.count() == 0


def test_a_fact_is_shown_with_the_words_behind_it(log_in: LogIn, talked: Chatter) -> None:
    talked.say("у меня аллергия на никель, просто ужас")
    page = explore(log_in(Role.OPERATOR), talked)
    facts = [line for line in page.split("<li>") if 'class="sent-kind">fact<' in line]
    assert len(facts) == 2
    assert all("said:" in line for line in facts)
    assert any("<bdi>у меня аллергия на никель, просто ужас</bdi>" in line for line in facts)


def test_a_fact_that_the_app_wrote_says_why_it_has_no_words(log_in: LogIn, alice: Chatter) -> None:
    alice.say("привет")
    form = FactInput(knowledge_type="allergy", value="nickel", source="onboarding", knowledge_key="nickel")
    put_facts(tenant=alice.tenant, user_external_id=alice.name, facts=[form], actor="key:test", now=timezone.now())
    assert "No words: an app or a person wrote this fact." in explore(log_in(Role.OPERATOR), alice)


def test_the_form_alone_looks_nothing_up(log_in: LogIn, talked: Chatter) -> None:
    page = log_in(Role.OPERATOR).get(reverse("console:explore_pack", args=[talked.ref.id])).content.decode()
    assert ">Trace<" in page
    assert "Question as read" not in page


def test_a_small_budget_is_seen_to_cut(log_in: LogIn, talked: Chatter) -> None:
    assert "over budget" in explore(log_in(Role.OPERATOR), talked, max_tokens=420)


def test_candidates_that_no_card_was_made_of_can_be_read_too(log_in: LogIn, alice: Chatter) -> None:
    for number in range(12):
        alice.say(f"синее платье номер {number}", conversation_id="old")
    page = explore(log_in(Role.OPERATOR), alice)
    assert "4 more with lower scores" in page
    assert all(f"синее платье номер {number}<" in page for number in range(12))
    assert "the user has said too little for more cards" in page
    assert "forgotten since" not in page


def test_who_may_not_read_memory_sees_no_picture(log_in: LogIn, talked: Chatter) -> None:
    answer = log_in(Role.AUDITOR).post(reverse("console:explore_pack", args=[talked.ref.id]), {"query": ASKED})
    assert answer.status_code == 403
    assert SAID not in answer.content.decode()


def test_another_tenants_user_is_not_there(client: Client, other_tenant: TenantRef, talked: Chatter) -> None:
    client.force_login(make_staff("neighbour", tenant=other_tenant, role=Role.OPERATOR))
    answer = client.post(reverse("console:explore_pack", args=[talked.ref.id]), {"query": ASKED})
    assert answer.status_code == 404


def test_a_pack_is_made_again_as_of_then(log_in: LogIn, talked: Chatter) -> None:
    pack = build_pack(talked, ASKED, max_tokens=2_000, mood="happy", intent="recall", model="gpt-x")
    talked.say("всё-таки беру красное платье с рукавом", conversation_id="later", created_at=timezone.now())
    url = reverse("console:replay_receipt", args=[pack.receipt_id])
    browser = log_in(Role.OPERATOR)
    page = browser.post(url, {"query": ASKED}).content.decode()
    assert "identical to what was sent" in page
    assert "красное" not in page
    assert browser.post(url, {"query": "другой вопрос"}).status_code == 409


def test_the_receipts_page_shows_what_the_reply_gave_away_and_used(log_in: LogIn, talked: Chatter) -> None:
    talked.say(ASKED)
    pack = build_pack(talked, ASKED)
    reply = talked.hear(f"Вы писали: {SAID}", receipt_id=pack.receipt_id)
    check_replies(tenant_id=talked.tenant.id, message_ids=[reply.message_id], now=timezone.now())
    url = reverse("admin:retrieval_retrievalreceipt_change", args=[pack.receipt_id])
    page = log_in(Role.OPERATOR).get(url).content.decode()
    assert "quotes_memory" in page
    assert "computed from the reply" in page
    audited = log_in(Role.AUDITOR).get(url).content.decode()
    assert "quotes_memory" in audited
    assert "The exact question" not in audited


def test_packs_that_carried_a_message_or_a_fact_are_listed(log_in: LogIn, talked: Chatter) -> None:
    pack = build_pack(talked, ASKED)
    other = build_pack(talked, "quantum chromodynamics", conversation="new")
    browser, url = log_in(Role.OPERATOR), reverse("console:user_packs", args=[talked.ref.id])
    card, fact = pack.episode_cards[0].message_id, pack.facts[0].id
    by_message = browser.get(url, {"message": card}).content.decode()
    assert str(pack.receipt_id) in by_message
    assert str(other.receipt_id) not in by_message
    by_fact = browser.get(url, {"fact": fact}).content.decode()
    assert str(pack.receipt_id) in by_fact
    assert str(other.receipt_id) in by_fact
