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
