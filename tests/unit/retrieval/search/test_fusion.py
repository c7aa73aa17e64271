"""From features to one order: the maths of score and rank fusion, boosts and bounds."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.traits import Traits
from retrieval.search.candidates import NOTHING_RANKED, Candidates, choose_candidates, find_greatest
from retrieval.search.columns import ROLES, TYPES
from retrieval.search.fusion import find_mood_factor, rank_candidates
from retrieval.search.matching import match_words
from retrieval.search.questions import read_question
from retrieval.search.recipes import DEFAULT, PLAIN, RRF60, UnknownRecipe, get_recipe
from retrieval.search.usefulness import SignalCount, apply_bounds, fold_signals
from retrieval.types import Candidate
from tests.unit.patterns.text.test_lexemes import make_places, name

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def make_candidate(number: int, **more: object) -> Candidate:
    values: dict[str, object] = {
        "message_id": UUID(int=number),
        "session_key": number,
        "role": "assistant",
        "memory_type": "chat",
        "speaker": "",
        "traits": 0,
        "len": 0,
        "said_at": NOW.timestamp(),
        "lexical": 0.0,
        "covered": 0.0,
        "smoothed": 0.0,
    }
    return Candidate(**(values | more))  # type: ignore[arg-type]


def make_columns(candidates: Sequence[Candidate]) -> Candidates:
    return Candidates(
        message_ids=np.array([each.message_id.bytes for each in candidates], dtype="S16"),
        session_keys=np.array([each.session_key for each in candidates]),
        roles=np.array([ROLES.index(each.role) for each in candidates], dtype=np.int16),
        memory_types=np.array([TYPES.index(each.memory_type) for each in candidates], dtype=np.int16),
        speakers=np.array([each.speaker for each in candidates], dtype=np.str_),
        traits=np.array([each.traits for each in candidates], dtype=np.int16),
        lens=np.array([each.len for each in candidates], dtype=np.int32),
        said_at=np.array([each.said_at for each in candidates]),
        lexical=np.array([each.lexical for each in candidates]),
        covered=np.array([each.covered for each in candidates]),
        smoothed=np.array([np.nan if each.smoothed is None else each.smoothed for each in candidates]),
        is_unembedded=np.array([each.is_unembedded for each in candidates], dtype=np.bool_),
        places=np.arange(len(candidates)),
        follows=np.array([False, *(a.session_key == b.session_key for a, b in pairwise(candidates))], dtype=np.bool_),
    )


def rank(*candidates: Candidate, text: str = "tea", recipe=PLAIN, dense_weight: float = 1.0):
    return rank_candidates(
        make_columns(candidates), question=read_question(text), recipe=recipe, dense_weight=dense_weight
    )


def test_scores_are_scaled_by_their_best_and_added():
    first, second = rank(make_candidate(1, lexical=4.0, smoothed=0.1), make_candidate(2, lexical=2.0, smoothed=0.2))[:]
    assert (first.candidate.message_id.int, second.candidate.message_id.int) == (1, 2)
    assert first.parts["lexical"] == 1.0
    assert first.parts["dense"] == 0.5
    assert first.score == second.score == 1.0


def test_a_long_message_is_not_held_back_from_a_summary():
    short, long = make_candidate(1, lexical=1.0, len=10), make_candidate(2, lexical=1.1, len=1000)
    question = "Give me a summary of what we said about tea"
    assert [hit.candidate.message_id.int for hit in rank(long, short, text=question, recipe=DEFAULT)] == [2, 1]
    assert [hit.candidate.message_id.int for hit in rank(long, short, recipe=DEFAULT)] == [1, 2]


def test_a_long_message_is_held_back():
    short, long = make_candidate(1, lexical=1.0, len=10), make_candidate(2, lexical=1.0, len=1000)
    assert [hit.candidate.message_id.int for hit in rank(long, short)] == [1, 2]


def test_without_vectors_the_dense_part_counts_nothing():
    hits = rank(make_candidate(1, lexical=1.0), make_candidate(2, smoothed=0.9), dense_weight=0.0)
    assert [hit.candidate.message_id.int for hit in hits] == [1]


def test_a_fresh_message_without_a_vector_gets_six_tenths():
    hits = rank(make_candidate(1, smoothed=0.5), make_candidate(2, smoothed=None, is_unembedded=True))
    assert hits[1].parts["dense"] == 0.6


def test_rank_fusion_adds_reciprocal_places():
    hits = rank(make_candidate(1, lexical=9.0, smoothed=0.1), make_candidate(2, smoothed=0.9), recipe=RRF60)
    assert hits[0].score / hits[1].score == pytest.approx((1 / 61 + 1 / 62) / (1 / 61))


def test_rank_fusion_looks_at_the_best_twenty_alone():
    candidates = [make_candidate(n, lexical=float(n)) for n in range(1, 40)]
    assert len(rank(*candidates, recipe=RRF60)) == 20


def test_the_users_own_words_count_more_unless_the_assistant_is_meant():
    candidates = [make_candidate(1, lexical=1.0), make_candidate(2, lexical=1.0, role="user")]
    mine = rank(*candidates, text="tea", recipe=replace(PLAIN, user_boost=0.5))
    yours = rank(*candidates, text="what tea did you recommend", recipe=replace(PLAIN, user_boost=0.5))
    assert mine[0].candidate.role == "user"
    assert [hit.candidate.message_id.int for hit in yours] == [1, 2]


def test_a_speaker_named_in_the_question_counts_more_in_either_alphabet():
    candidates = [make_candidate(1, lexical=1.0, speaker="Omar"), make_candidate(2, lexical=1.0, speaker="Катя")]
    hits = rank(*candidates, text="what tea does Katya like", recipe=replace(PLAIN, speaker_boost=0.15))
    assert hits[0].candidate.speaker == "Катя"


def test_sessions_with_several_hits_lift_their_messages():
    candidates = [
        make_candidate(1, lexical=1.0, session_key=1),
        make_candidate(2, lexical=0.95, session_key=2),
        make_candidate(3, lexical=0.95, session_key=2),
        make_candidate(4, lexical=0.95, session_key=2),
    ]
    assert rank(*candidates, recipe=replace(PLAIN, session_boost=0.2))[0].candidate.session_key == 2


def test_standing_rules_count_when_help_is_asked_and_only_then():
    rule = make_candidate(2, lexical=0.7, role="user", traits=int(Traits.STANDING))
    candidates = [make_candidate(1, lexical=1.0), rule]
    recipe = replace(PLAIN, standing_boost=1.0)
    assert rank(*candidates, text="can you recommend tea", recipe=recipe)[0].candidate == rule
    assert rank(*candidates, text="when was the tea bought", recipe=recipe)[0].candidate != rule


def test_recency_takes_a_tenth_at_most_and_keeps_the_order_of_equals():
    old = make_candidate(1, lexical=1.0, said_at=(NOW - timedelta(days=3000)).timestamp())
    new = make_candidate(2, lexical=1.0)
    hits = apply_bounds(rank(old, new), now=NOW, recipe=DEFAULT, usefulness={})
    assert [hit.candidate.message_id.int for hit in hits] == [2, 1]
    assert hits[1].score == pytest.approx(0.9, abs=1e-3)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 5_000))
def test_age_and_usefulness_together_move_a_score_by_a_tenth_at_most(one: float, other: float, days: int):
    old = make_candidate(1, lexical=1.0, said_at=(NOW - timedelta(days=days)).timestamp())
    new = make_candidate(2, lexical=0.5)
    before = {hit.candidate.message_id: hit.score for hit in rank(old, new)}
    ids = [old.message_id, new.message_id]
    moved = apply_bounds(rank(old, new), now=NOW, recipe=DEFAULT, usefulness=dict(zip(ids, (one, other), strict=True)))
    for hit in moved:
        assert 0.9 - 1e-9 <= hit.score / before[hit.candidate.message_id] <= 1.1 + 1e-9
        assert hit.parts["recency"] * hit.parts.get("usefulness", 1.0) == pytest.approx(
            hit.score / before[hit.candidate.message_id]
        )


def test_of_equals_the_more_useful_comes_first_and_the_trace_says_why():
    hits = apply_bounds(
        rank(make_candidate(1, lexical=1.0), make_candidate(2, lexical=1.0)),
        now=NOW,
        recipe=DEFAULT,
        usefulness={UUID(int=2): 0.9, UUID(int=1): 0.2},
    )
    assert [hit.candidate.message_id.int for hit in hits] == [2, 1]
    assert [round(hit.parts["usefulness"], 3) for hit in hits] == [1.04, 0.97]


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        ([("used", False, 1)], 5 / 9),
        ([("unused", False, 1)], 4 / 9),
        ([("used", True, 4)], 5 / 9),
        ([("unused", True, 10)], 4 / 9),
        ([("confirmed", False, 8), ("corrected", False, 8)], 0.5),
        ([("confirmed", False, 1_000)], 2_004 / 2_008),
        ([("corrected", False, 1)], 4 / 10),
    ],
)
def test_signals_are_shrunken_to_neutral_and_what_people_say_counts_more(counts: list, score: float):
    item = UUID(int=1)
    (found,) = fold_signals(SignalCount(item, False, *one) for one in counts).values()
    assert found.score == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize(
    ("memory_type", "message_mood", "mood", "factor"),
    [
        ("emotion", "sad", "happy", 0.8),
        ("emotion", "sad", "sad", 1.0),
        ("emotion", "", "happy", 1.0),
        ("fact", "sad", "happy", 1.0),
        ("preference", "sad", "happy", 1.0),
    ],
)
def test_mood_lowers_emotions_alone(memory_type: str, message_mood: str, mood: str, factor: float):
    assert find_mood_factor(memory_type=memory_type, message_mood=message_mood, mood=mood, recipe=DEFAULT) == factor


def test_an_unknown_recipe_is_refused_by_name():
    with pytest.raises(UnknownRecipe, match="rrf60"):
        get_recipe("nonsense")


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 1)), min_size=1, max_size=30), st.randoms())
def test_the_order_does_not_depend_on_the_order_of_arrival(features, random):
    candidates = [make_candidate(n, lexical=lex, smoothed=near) for n, (lex, near) in enumerate(features)]
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert [hit.candidate for hit in rank(*candidates)] == [hit.candidate for hit in rank(*shuffled)]


def test_a_ranking_reads_as_a_sequence_of_hits():
    hits = rank(make_candidate(1, lexical=1.0), make_candidate(2, lexical=3.0), make_candidate(3, lexical=2.0))
    assert [hit.candidate.message_id.int for hit in hits] == [2, 3, 1]
    assert [hit.candidate.message_id.int for hit in hits[1:]] == [3, 1]
    assert hits[-1].candidate.message_id.int == 1
    assert [message_id.int for message_id in hits.list_ids(2)] == [2, 3]
    assert len(NOTHING_RANKED) == 0
    with pytest.raises(IndexError):
        hits[3]


@given(st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5, 2.0]), max_size=20), st.integers(1, 8))
def test_the_greatest_are_those_that_sorting_would_choose(numbers: list[float], depth: int):
    ids = np.array([UUID(int=n + 1).bytes for n in range(len(numbers))], dtype="S16")
    chosen = find_greatest(np.array(numbers), ids, depth)
    by_sorting = sorted((n for n, value in enumerate(numbers) if value > 0), key=lambda n: (-numbers[n], n))[:depth]
    assert sorted(chosen.tolist()) == sorted(by_sorting)


def test_words_vectors_and_what_waits_for_a_vector_take_part_and_nothing_else():
    places = make_places(("saffron", 1), ("tea", 2), ("milk", 3), ("rice", 4), ("bread", 5))
    in_scope = np.array([True, True, True, True, False])
    question = read_question("saffron")
    chosen = choose_candidates(
        places,
        hits=match_words(places, question=question, recipe=DEFAULT, in_scope=in_scope),
        smoothed=np.array([0.1, 0.4, np.nan, -0.2, 0.9]),
        in_scope=in_scope,
        is_fresh=np.ones(5, dtype=np.bool_),
        question=question,
        recipe=DEFAULT,
    )
    assert [one.message_id for one in chosen.list_values(slice(None))] == [name(0), name(1), name(2)]
    assert chosen.is_unembedded.tolist() == [False, False, True]
