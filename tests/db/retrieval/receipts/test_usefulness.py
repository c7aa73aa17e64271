"""Signals become usefulness at night, in versions; reading changes nothing (SPEC C-4, D-17, D-22)."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from memory.tenants.scope import tenant_scope
from retrieval.models import RankingSnapshot, RetrievalReceipt, Usefulness
from retrieval.receipts.usefulness import fold_new_signals, fold_user
from retrieval.replies.feedback import Signal, record_feedback
from retrieval.search.ranking_state import read_ranking_state
from retrieval.types import ContextPack
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out
from tests.db.retrieval.conftest import build_pack, find_texts, search

ASKED = "which tea do I like?"


@pytest.fixture
def teas(alice: Chatter) -> Chatter:
    for text in ("I like oolong tea", "I like jasmine tea"):
        alice.say(text, conversation_id=text)
    return alice


def judge(person: Chatter, pack: ContextPack, **signals: str) -> None:
    """Feedback about cards named by a word of theirs."""
    with tenant_scope(person.tenant.id):
        receipt = RetrievalReceipt.objects.get(id=pack.receipt_id)
        cards = {word: card for word in signals for card in pack.episode_cards if word in card.raw_excerpt}
        record_feedback(
            receipt=receipt,
            signals=[Signal(signal, message_id=cards[word].message_id) for word, signal in signals.items()],
            assistant_message_id=None,
            now=timezone.now(),
        )


def fold(person: Chatter, *, now: datetime | None = None) -> int:
    with tenant_scope(person.tenant.id):
        return fold_user(user=person.ref, now=now or timezone.now())


def list_order(person: Chatter, **more: object) -> list[str]:
    return [card.raw_excerpt.split()[2] for card in build_pack(person, ASKED, **more).episode_cards]


def test_nothing_changes_before_the_night_and_the_useful_comes_first_after_it(teas: Chatter):
    first, second = list_order(teas)
    for _ in range(3):
        judge(teas, build_pack(teas, ASKED), **{second: "confirmed", first: "corrected"})
    assert list_order(teas) == [first, second]
    fold(teas)
    assert list_order(teas) == [second, first]


def test_a_pack_names_its_snapshot_and_explains_the_factor(teas: Chatter):
    assert build_pack(teas, ASKED, trace=True).trace["ranking_version"] == 0
    judge(teas, build_pack(teas, ASKED), oolong="confirmed")
    assert fold(teas) == 1
    pack = build_pack(teas, ASKED, trace=True)
    with tenant_scope(teas.tenant.id):
        assert RetrievalReceipt.objects.get(id=pack.receipt_id).ranking_version == 1
    card = next(card for card in pack.episode_cards if "oolong" in card.raw_excerpt)
    assert 1 < card.trace["usefulness"] <= 1.05
    assert pack.trace["ranking_version"] == 1


def test_searches_know_nothing_of_it(teas: Chatter):
    before = [(card.message_id, card.score) for card in search(teas, ASKED).results]
    judge(teas, build_pack(teas, ASKED), oolong="corrected", jasmine="confirmed")
    fold(teas)
    assert [(card.message_id, card.score) for card in search(teas, ASKED).results] == before


def test_a_question_about_a_time_knows_nothing_of_it_either(teas: Chatter):
    judge(teas, build_pack(teas, ASKED), oolong="corrected")
    fold(teas)
    pack = build_pack(teas, "which oolong tea did I like last year?", trace=True)
    assert all("usefulness" not in card.trace for card in pack.episode_cards)


def test_an_older_moment_is_ranked_by_the_snapshot_of_then(teas: Chatter):
    first, second = list_order(teas)
    judge(teas, build_pack(teas, ASKED), **{second: "confirmed", first: "corrected"})
    now = timezone.now()
    fold(teas, now=now)
    before, after = now - timedelta(seconds=1), now + timedelta(seconds=1)
    assert list_order(teas, as_of=before) == [first, second]
    assert list_order(teas, as_of=after) == [second, first]


def test_versions_keep_what_held_and_the_same_signals_change_nothing(teas: Chatter):
    judge(teas, build_pack(teas, ASKED), oolong="confirmed")
    item = next(card.message_id for card in build_pack(teas, ASKED).episode_cards if "oolong" in card.raw_excerpt)
    start = timezone.now()
    assert [fold(teas, now=start + timedelta(hours=hour)) for hour in range(2)] == [1, 2]
    with tenant_scope(teas.tenant.id):
        (row,) = Usefulness.objects.filter(item_id=item)
        assert (row.from_version, row.until_version) == (1, None)
    judge(teas, build_pack(teas, ASKED), oolong="corrected")
    assert fold(teas, now=start + timedelta(hours=3)) == 3
    with tenant_scope(teas.tenant.id):
        then = read_ranking_state(user=teas.ref, item_ids=[item], at=start + timedelta(minutes=1))
        now = read_ranking_state(user=teas.ref, item_ids=[item])
    assert then.scores[item] > 0.5
    assert now.scores[item] == pytest.approx(0.5)


def test_what_a_person_said_takes_the_place_of_what_was_computed(teas: Chatter):
    teas.say(ASKED)
    pack = build_pack(teas, ASKED)
    from retrieval.replies.judging import check_replies

    reply = teas.hear("Let us talk about shoes instead", receipt_id=pack.receipt_id)
    check_replies(tenant_id=teas.tenant.id, message_ids=[reply.message_id], now=timezone.now())
    judge(teas, pack, oolong="used")
    fold(teas)
    scores = {}
    with tenant_scope(teas.tenant.id):
        for card in pack.episode_cards:
            state = read_ranking_state(user=teas.ref, item_ids=[card.message_id])
            scores[card.raw_excerpt.split()[2]] = state.scores[card.message_id]
    assert scores["oolong"] == pytest.approx(5 / 9)
    assert scores["jasmine"] == pytest.approx(4 / 8.1)


def test_the_nightly_job_finds_its_users_across_tenants_and_each_once(
    transactional_db: None, teas: Chatter, as_role: Callable[[str], None]
):
    judge(teas, build_pack(teas, ASKED), oolong="confirmed")
    as_role("worker")
    now = timezone.now() + timedelta(seconds=1)
    assert fold_new_signals(now=now) == 1
    assert fold_new_signals(now=now + timedelta(hours=1)) == 0


def test_an_erased_user_leaves_no_usefulness(charlie: Chatter):
    charlie.say("I like oolong tea", conversation_id="before")
    judge(charlie, build_pack(charlie, ASKED), oolong="confirmed")
    fold(charlie)
    gone = charlie.ref.id
    assert carry_out(charlie, ask(charlie)).status == "completed"
    with tenant_scope(charlie.tenant.id):
        assert not Usefulness.objects.filter(user_id=gone).exists()
        assert not RankingSnapshot.objects.filter(user_id=gone).exists()


def test_nobody_else_is_moved_by_it(teas: Chatter, bob: Chatter):
    for text in ("I like oolong tea", "I like jasmine tea"):
        bob.say(text, conversation_id=text)
    order = list_order(bob)
    judge(teas, build_pack(teas, ASKED), oolong="corrected", jasmine="confirmed")
    fold(teas)
    assert list_order(bob) == order
    assert set(find_texts(bob, ASKED)) == {"I like oolong tea", "I like jasmine tea"}
