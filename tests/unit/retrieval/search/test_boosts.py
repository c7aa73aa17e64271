"""What moves a fused score: kinds of saying, answers, what applies to a request, and named times."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from retrieval.index.traits import ASKING_SHARES, Traits, find_traits
from retrieval.search.candidates import find_called
from retrieval.search.fusion import rank_candidates
from retrieval.search.matching import match_words
from retrieval.search.periods import find_periods
from retrieval.search.questions import read_question
from retrieval.search.recipes import DEFAULT, PARTS, PLAIN, list_ablations
from tests.unit.patterns.text.test_lexemes import make_places
from tests.unit.retrieval.search.test_fusion import NOW, make_candidate, make_columns, rank

RULE, TASTE = int(Traits.RULE), int(Traits.STANDING)
HELP, RECALL = "recommend a belt", "which belt did you recommend to me"


def list_order(*candidates, **more) -> list[int]:
    return [hit.candidate.message_id.int for hit in rank(*candidates, **more)]


def test_between_people_who_only_asks_tells_little():
    asks = make_candidate(1, lexical=1.0, speaker="Ann", traits=int(find_traits("Do you like tea?")))
    tells = make_candidate(2, lexical=0.95, speaker="Ann", traits=int(find_traits("We drink tea")))
    recipe = replace(PLAIN, asking_penalty=0.25)
    assert list_order(asks, tells, recipe=recipe) == [2, 1]
    assert rank(asks, tells, recipe=recipe)[1].parts["asks"] == pytest.approx(1 - 0.25 * ASKING_SHARES[3])


def test_what_users_ask_an_assistant_is_not_held_back():
    asks = make_candidate(
        1, lexical=1.0, role="user", traits=int(find_traits("Which tea goes with my lactose problem?"))
    )
    assert list_order(asks, make_candidate(2, lexical=0.95, role="user"), recipe=DEFAULT) == [1, 2]


def test_an_answer_takes_a_share_of_the_question_before_it():
    question = make_candidate(1, session_key=1, lexical=1.0, speaker="Ann", traits=int(Traits.ASKS_SOME))
    answer = make_candidate(2, session_key=1, lexical=0.3, speaker="Ben")
    other = make_candidate(3, session_key=2, lexical=0.35, speaker="Ben")
    recipe = replace(PLAIN, answer_share=0.2)
    assert list_order(question, answer, other, recipe=recipe) == [1, 2, 3]
    assert rank(question, answer, other, recipe=recipe)[1].parts["answers"] == pytest.approx(0.2)


@pytest.mark.parametrize("change", [{"session_key": 9}, {"speaker": "Ann"}, {"speaker": ""}])
def test_only_another_named_speaker_of_the_same_session_answers(change: dict[str, object]):
    question = make_candidate(1, session_key=1, lexical=1.0, speaker="Ann", traits=int(Traits.ASKS_SOME))
    answer = make_candidate(2, **({"session_key": 1, "lexical": 0.3, "speaker": "Ben"} | change))
    assert "answers" not in rank(question, answer, recipe=replace(PLAIN, answer_share=0.2))[1].parts


def test_a_rule_applies_to_a_request_whatever_its_words():
    rule = make_candidate(1, role="user", traits=RULE)
    others = [make_candidate(n, lexical=0.5) for n in range(2, 6)]
    best = make_candidate(9, lexical=1.0)
    assert list_order(rule, *others, best, text=HELP, recipe=DEFAULT)[1] == 1
    assert 1 not in list_order(rule, *others, best, text=RECALL, recipe=DEFAULT)


def test_the_users_own_words_count_less_where_a_summary_is_asked_for():
    own, other = make_candidate(1, role="user", lexical=0.7), make_candidate(2, role="assistant", lexical=1.0)
    factors = [
        next(hit.parts["speaker"] for hit in rank(own, other, text=text, recipe=DEFAULT) if "speaker" in hit.parts)
        for text in ("tea", "sum up what we said of tea")
    ]
    assert factors == [1 + DEFAULT.user_boost, 1 + DEFAULT.summary_user_boost]


def test_at_most_a_few_rules_and_tastes_are_lifted():
    standing = [make_candidate(n, role="user", traits=TASTE) for n in range(1, 30)]
    hits = rank(*standing, make_candidate(50, lexical=1.0), text=HELP, recipe=DEFAULT)
    assert sum("applies" in hit.parts for hit in hits) == DEFAULT.standing_limit


def test_rules_of_others_than_the_user_do_not_apply():
    theirs = make_candidate(1, role="assistant", traits=RULE)
    named = make_candidate(2, role="user", speaker="Ben", traits=RULE)
    hits = rank(theirs, named, make_candidate(3, lexical=1.0), text=HELP, recipe=DEFAULT)
    assert [hit.candidate.message_id.int for hit in hits] == [3]


@pytest.mark.parametrize(
    "question", ["tea last week", "чай на прошлой неделе", "شاي الأسبوع الماضي", "chai el osbo3 elli fat"]
)
def test_messages_of_a_named_time_pass_better_matches_of_other_times(question: str):
    inside = make_candidate(1, lexical=0.5, said_at=(NOW - timedelta(days=6)).timestamp())
    outside = make_candidate(2, lexical=1.0, said_at=(NOW - timedelta(days=60)).timestamp())
    ranking = rank_candidates(
        make_columns([inside, outside]),
        question=read_question(question),
        recipe=DEFAULT,
        dense_weight=0.0,
        periods=find_periods(question, now=NOW),
    )
    assert ranking[0].candidate.message_id.int == 1
    assert {"period", "in_period"} <= set(ranking[0].parts)
    assert "in_period" not in ranking[1].parts


def test_a_named_time_calls_messages_that_share_no_word_with_the_question():
    places = make_places(("saffron", 1), ("tea", 1), ("milk", 1))
    question = read_question("yesterday?")
    called = find_called(
        places,
        hits=match_words(places, question=question, recipe=DEFAULT, in_scope=np.ones(3, dtype=bool)),
        smoothed=np.full(3, np.nan),
        in_scope=np.array([True, False, True]),
        question=question,
        periods=find_periods("yesterday?", now=NOW + timedelta(days=1)),
        recipe=DEFAULT,
    )
    assert called.tolist() == [0, 2]


def test_every_ablation_takes_something_away():
    ablations = list_ablations(DEFAULT)
    assert [recipe.name for recipe in ablations] == [f"{DEFAULT.name}-without-{part}" for part in PARTS]
    assert all(replace(recipe, name=DEFAULT.name) != DEFAULT for recipe in ablations)


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("Always put the price first when I ask about shoes", Traits.RULE),
        ("Присылай сразу с ценой", Traits.RULE),
        ("من الحين اذا سألتك جاوبني بالفصحى", Traits.RULE),
        ("lamma as2alak jawibni bil 3arabi", Traits.RULE),
        ("For everything you write, no emojis please", Traits.RULE),
        ("Your answers should fit on a phone screen", Traits.RULE),
        ("When you mention a distance, stick to metric units", Traits.RULE),
        ("Обязательно указывай цену", Traits.RULE),
        ("I'm allergic to wool", Traits.STANDING),
        ("I get carsick easily", Traits.STANDING),
        ("I only watch films with subtitles", Traits.STANDING),
        ("Я на диете до мая", Traits.STANDING),
        ("у меня аллергия на шерсть", Traits.STANDING),
        ("عندي حساسية من الصوف", Traits.STANDING),
        ("3indi 7asasiya min el souf", Traits.STANDING),
        ("Find me three blouses", Traits.REQUEST),
        ("Подбери свитер", Traits.REQUEST),
        ("اقترحي لي عقد", Traits.REQUEST),
        ("sho albas bukra", Traits.REQUEST),
        ("What did you recommend?", Traits.RECALL),
        ("Give me a summary of how my plans changed", Traits.RECALL),
        ("что ты советовала взять", Traits.RECALL),
        ("What time is it there?", Traits.WHEN),
        ("когда я купила платье", Traits.WHEN),
        ("متى العرس", Traits.WHEN),
    ],
)
def test_traits_are_seen_in_four_languages(text: str, trait: Traits):
    assert trait in find_traits(text)


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("i – never eat meat", Traits.STANDING),
        ("well,i never", Traits.STANDING),
        ("I/never eat meat", Traits.STANDING),
        ("не , ношу шерсть", Traits.STANDING),
        ("ok?\u200f", Traits.QUESTION),
    ],
)
def test_traits_are_those_of_the_words_whatever_marks_stand_around_them(text: str, trait: Traits):
    assert trait in find_traits(text)


@pytest.mark.parametrize(
    "text", ["I have never been there", "make sure I got it right", "Call me tomorrow", "Он никогда не был"]
)
def test_what_only_sounds_like_a_rule_is_none(text: str):
    assert Traits.RULE not in find_traits(text)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("I like tea.", 0.0),
        ("I like tea, and I like milk. And you?", 0.25),
        ("I like tea. Do you?", 0.5),
        ("Do you like tea?", 0.85),
    ],
)
def test_the_share_of_questions_is_weighed(text: str, share: float):
    traits = int(find_traits(text))
    assert ASKING_SHARES[traits // int(Traits.ASKS_SOME) & 3] == share


def test_a_rule_in_a_long_message_is_lifted_less_than_one_that_stands_alone():
    alone = make_candidate(1, role="user", traits=RULE, len=12)
    remark = make_candidate(2, role="user", traits=RULE, len=300)
    best = make_candidate(3, lexical=1.0)
    ranked = rank(alone, remark, best, recipe=DEFAULT, text=HELP)
    lifts = {hit.candidate.message_id.int: hit.parts.get("applies", 0.0) for hit in ranked}
    assert lifts[2] == pytest.approx(lifts[1] * DEFAULT.rule_words / 300)
