"""Follow-ups of the source by name, and questions that must stand alone (SPEC N-5, D-47)."""

import pytest

from retrieval.knowledge.planning.followups import Topic
from tests.unit.retrieval.knowledge.planning.portfolio import ENTITIES, ask

ALOR, PORTFOLIO, PYTHON, EPAM = ENTITIES[3], ENTITIES[4], ENTITIES[7], ENTITIES[1]


def test_a_pointed_question_takes_the_entity_of_the_last_topic() -> None:
    decision, follow = ask("а какие там достижения?", topic=Topic("PROJECT_DETAILS", PORTFOLIO))
    assert follow.is_follow_up and decision.intent == "ACHIEVEMENTS"
    assert [start.key for start in decision.starts] == ["ai-portfolio"]


@pytest.mark.parametrize("question", ["а какие технологии там использовали?", "And what technologies are used there?"])
def test_another_kind_of_question_about_the_last_topic_is_one(question: str) -> None:
    decision, follow = ask(question, topic=Topic("ACHIEVEMENTS", ALOR))
    assert follow.is_follow_up and [start.key for start in decision.starts] == ["alor-broker"]


@pytest.mark.parametrize("question", ["А в Luxoft?", "а Люксофт?", "What about Luxoft?", "Luxoft?"])
def test_an_entity_alone_keeps_the_last_intent_and_not_the_last_entity(question: str) -> None:
    decision, follow = ask(question, topic=Topic("PROJECTS", EPAM))
    assert follow.is_follow_up and follow.entity is None
    assert (decision.intent, [start.key for start in decision.starts]) == ("PROJECTS", ["luxoft"])


@pytest.mark.parametrize(
    "question",
    ["а где применял RAG?", "Где применял RAG?", "Какие достижения?", "Какие языки программирования знает?", "Кто ты?"],
)
def test_a_question_that_stands_alone_takes_nothing_of_the_topic_before(question: str) -> None:
    decision, follow = ask(question, topic=Topic("TECHNOLOGY_USAGE", PYTHON))
    assert not follow.is_follow_up
    assert PYTHON.key not in {start.key for start in decision.starts}


def test_a_pointed_question_without_a_topic_is_none() -> None:
    _, follow = ask("а какие там достижения?")
    assert not follow.is_follow_up
    _, follow = ask("а какие там достижения?", topic=Topic("LANGUAGES", None))
    assert not follow.is_follow_up


def test_an_entity_and_other_words_start_a_new_topic() -> None:
    _, follow = ask("Кто основал Luxoft и сколько там сотрудников?", topic=Topic("PROJECTS", EPAM))
    assert not follow.is_follow_up


@pytest.mark.parametrize(
    "question",
    [
        "О, интересно. И ещё, какую роль ты там играл?",
        "А сколько там людей?",
        "Who built it?",
        "When was he hired there?",
    ],
)
def test_a_short_question_that_points_back_goes_on_whatever_it_asks(question: str) -> None:
    _, follow = ask(question, topic=Topic("PROJECT_DETAILS", PORTFOLIO))
    assert follow.is_follow_up and follow.entity is PORTFOLIO


@pytest.mark.parametrize(
    "question",
    [
        "I lost my Social Security card last week, can I replace it by mail?",
        "I have a Federal Perkins Loan, can this loan be included in a consolidation loan?",
        "And I want to find out more about being eligible for benefits, is there something to read?",
        "That sounds awesome, what should I do next about health insurance?",
        "А если потеряю карту и паспорт, кому звонить?",
    ],
)
def test_a_question_with_much_of_its_own_points_at_itself(question: str) -> None:
    _, follow = ask(question, topic=Topic("PROJECT_DETAILS", PORTFOLIO))
    assert not follow.is_follow_up
