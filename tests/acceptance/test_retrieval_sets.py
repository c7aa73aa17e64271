"""Retrieval on our own labelled conversations (tests/data/README.md): they are sound, and recall keeps its floors.

The floors lie a few points under what was measured with the default recipe and the built-in embedder. `held_out` is
for judging alone: nothing is tuned, trained or chosen on it.
"""

from datetime import UTC, datetime
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from retrieval.evaluation.dataset import LabelledConversation, LabelledQuestion, read_conversations, read_questions
from retrieval.evaluation.runner import LabelledSet, evaluate_recipes
from retrieval.index.embedding_models import get_configured_provider
from retrieval.search.recipes import get_recipe

DATA = Path(__file__).parents[1] / "data" / "retrieval"
SPLITS = ("dev", "held_out", "held_out2", "held_out3")
MEASURED_AT = datetime(2026, 12, 1, tzinfo=UTC)
RECALL_AT_10 = {
    ("dev", "ru"): 0.81,
    ("dev", "en"): 0.74,
    ("dev", "ar"): 0.86,
    ("dev", "mx"): 0.89,
    ("dev", "pair"): 0.71,
    ("held_out", "ru"): 0.70,
    ("held_out", "en"): 0.62,
    ("held_out", "ar"): 0.76,
    ("held_out", "mx"): 0.66,
    ("held_out", "pair"): 0.67,
    ("held_out2", "en"): 0.71,
    ("held_out2", "pair"): 0.73,
    ("held_out3", "en"): 0.69,
    ("held_out3", "pair"): 0.59,
}


@cache
def get_conversations(split: str) -> list[LabelledConversation]:
    return read_conversations(DATA / f"{split}.conversations.jsonl")


@cache
def get_questions(split: str) -> list[LabelledQuestion]:
    return read_questions(DATA / f"{split}.questions.jsonl")


def is_kind(user_id: str, kind: str) -> bool:
    return user_id.startswith(f"{kind}-")


@pytest.mark.parametrize("split", SPLITS)
def test_the_evidence_of_every_question_is_in_its_own_conversation(split: str):
    messages = {talk.user_id: {message.id for message in talk.messages} for talk in get_conversations(split)}
    for question in get_questions(split):
        assert set(question.evidence) <= messages[question.user_id], question.id
        assert len(set(question.evidence)) == len(question.evidence), question.id


@pytest.mark.parametrize("split", SPLITS)
def test_conversations_are_in_order_and_speakers_take_turns(split: str):
    for talk in get_conversations(split):
        for before, after in zip(talk.messages, talk.messages[1:], strict=False):
            assert before.said_at < after.said_at, after.id
            assert before.session != after.session or before.role != after.role, after.id


@pytest.mark.parametrize(("one", "other"), list(combinations(SPLITS, 2)))
def test_two_parts_share_no_conversation_and_no_message(one: str, other: str):
    parts = [{message.text for talk in get_conversations(split) for message in talk.messages} for split in (one, other)]
    long_texts = [{text for text in part if len(text) > 40} for part in parts]
    assert long_texts[0] & long_texts[1] == set()
    users = [{talk.user_id for talk in get_conversations(split)} for split in (one, other)]
    assert users[0] & users[1] == set()


def test_ids_of_questions_are_unique():
    ids = [question.id for split in SPLITS for question in get_questions(split)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(("split", "kind"), RECALL_AT_10)
def test_recall_at_10_keeps_its_floor_in_every_kind_of_conversation(db: None, split: str, kind: str):
    labelled = LabelledSet(
        conversations=[talk for talk in get_conversations(split) if is_kind(talk.user_id, kind)],
        questions=[question for question in get_questions(split) if is_kind(question.user_id, kind)],
    )
    asked = {"labelled": labelled, "provider": get_configured_provider(), "now": MEASURED_AT}
    report = evaluate_recipes(recipes=[get_recipe("")], **asked)[0]
    assert report.scores["ALL"]["recall@10"] >= RECALL_AT_10[split, kind]
