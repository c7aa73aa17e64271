"""Which tool answers, from which entity: golden cases of the source by name, and questions that must not get a list."""

import pytest

from retrieval.knowledge.planning.deciding import Switches
from tests.unit.retrieval.knowledge.planning.portfolio import ask

GRAPH = [
    ("Какие достижения на проекте АЛОР?", "ACHIEVEMENTS", "alor-broker"),
    ("Все достижения по проекту t2", "ACHIEVEMENTS", "t2"),
    ("какие достижения в алоре", "ACHIEVEMENTS", "alor-broker"),
    ("Перечисли все достижения в проекте F3.", "ACHIEVEMENTS", "f3"),
    ("What are the achievements on ALOR?", "ACHIEVEMENTS", "alor-broker"),
    ("What did he accomplish at ALOR?", "ACHIEVEMENTS", "alor-broker"),
    ("ما هي إنجازات مشروع ALOR؟", "ACHIEVEMENTS", "alor-broker"),
    ("Какие достижения в EPAM?", "ACHIEVEMENTS", "epam"),
    ("Какие у тебя достижения?", "ACHIEVEMENTS", "dmitry"),
    ("Где применял RAG?", "TECHNOLOGY_USAGE", "rag"),
    ("а где применял RAG?", "TECHNOLOGY_USAGE", "rag"),
    ("Where did he use RAG?", "TECHNOLOGY_USAGE", "rag"),
    ("Where has Dmitry used RAG?", "TECHNOLOGY_USAGE", "rag"),
    ("أين استخدم RAG؟", "TECHNOLOGY_USAGE", "rag"),
    ("Расскажи про опыт с Python.", "TECHNOLOGY_USAGE", "python"),
    ("Какие технологии использованы в проекте AI-Portfolio?", "TECHNOLOGY_USAGE", "ai-portfolio"),
    ("Какие языки программирования знает?", "LANGUAGES", "dmitry"),
    ("Какие языки программирования знает Дмитрий?", "LANGUAGES", "dmitry"),
    ("Which programming languages does Dmitry know?", "LANGUAGES", "dmitry"),
    ("ما هي لغات البرمجة التي يعرفها؟", "LANGUAGES", "dmitry"),
    ("Где сейчас работает Дмитрий?", "CURRENT_JOB", "dmitry"),
    ("Where does Dmitry work now?", "CURRENT_JOB", "dmitry"),
    ("أين يعمل ديمتري الآن؟", "CURRENT_JOB", "dmitry"),
    ("Какие проекты в компании EPAM?", "PROJECTS", "epam"),
    ("Опыт работы в EPAM?", "PROJECTS", "epam"),
    ("Опыт работы в EPAM Systems?", "PROJECTS", "epam"),
    ("What projects were at EPAM?", "PROJECTS", "epam"),
    ("Как с ним связаться?", "CONTACTS", "dmitry"),
    ("Контакты Дмитрия", "CONTACTS", "dmitry"),
    ("How can I contact Dmitry?", "CONTACTS", "dmitry"),
]


@pytest.mark.parametrize(("question", "intent", "key"), GRAPH)
def test_a_question_of_a_known_kind_about_a_known_entity_gets_a_path(question: str, intent: str, key: str) -> None:
    decision, _ = ask(question)
    assert (decision.intent, decision.tool, decision.policy) == (intent, "graph", "strict"), decision
    assert [start.key for start in decision.starts] == [key]


@pytest.mark.parametrize(
    "question", ["Что делал на проекте АЛОР?", "Что делал на проекте ALOR Брокер?", "Tell me about AI-Portfolio"]
)
def test_details_of_a_project_are_searched_for_in_its_own_texts(question: str) -> None:
    decision, _ = ask(question)
    assert (decision.intent, decision.tool, decision.policy) == ("PROJECT_DETAILS", "text", "strict")


@pytest.mark.parametrize("question", ["Расскажи про проект F3 на EPAM", "Tell me about F3 and EPAM", "F3 и EPAM"])
def test_two_entities_boost_and_give_no_list(question: str) -> None:
    decision, _ = ask(question)
    assert (decision.tool, decision.policy, decision.alternatives) == ("text", "boost", ())


def test_a_word_of_a_name_excludes_nothing() -> None:
    decision, _ = ask("What are the achievements on Life without Limits?")
    assert (decision.intent, decision.tool, decision.policy) == ("ACHIEVEMENTS", "graph", "strict")
    decision, _ = ask("Which projects were without EPAM?")
    assert decision.tool == "text"


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("Какие достижения на проекте XYZ?", "ACHIEVEMENTS"),
        ("What are the achievements on XYZ?", "ACHIEVEMENTS"),
        ("Где применял Kubernetes?", "TECHNOLOGY_USAGE"),
        ("В каком проекте применял Kubernetes?", "TECHNOLOGY_USAGE"),
    ],
)
def test_an_unknown_name_finds_nothing_and_is_not_searched_for(question: str, intent: str) -> None:
    decision, _ = ask(question)
    assert (decision.tool, decision.is_unknown, decision.starts, decision.intent) == ("graph", True, (), intent)


@pytest.mark.parametrize(
    "question",
    [
        "Какие достижения в АЛОР в 2020 году?",
        "Какие достижения в банковской сфере?",
        "Какие проекты в EPAM без RAG?",
        "Какие языки программирования знает Вася?",
        "Какими иностранными языками владеет?",
        "Где он работал раньше?",
        "Where did Dmitry work before?",
        "Какие backend достижения в АЛОР?",
    ],
)
def test_a_question_that_says_more_than_its_intent_gets_no_list(question: str) -> None:
    decision, _ = ask(question)
    assert decision.tool == "text" or decision.is_unknown, decision


def test_a_question_of_no_kind_is_general() -> None:
    decision, _ = ask("Привет, чем ты отличаешься от других?")
    assert (decision.intent, decision.tool, decision.policy) == ("GENERAL", "text", "none")


def test_without_the_router_every_question_is_a_plain_search() -> None:
    decision, _ = ask("Какие достижения на проекте АЛОР?", switches=Switches(router=False))
    assert (decision.intent, decision.tool, decision.policy) == ("GENERAL", "text", "none")


def test_without_the_graph_a_list_is_searched_for_in_texts() -> None:
    decision, _ = ask("Какие достижения на проекте АЛОР?", switches=Switches(graph=False))
    assert (decision.intent, decision.tool, decision.policy) == ("ACHIEVEMENTS", "text", "strict")
    assert "graph_off" in decision.steps
