"""Lists are whole, numbers of what is not shown are said, and nothing is one short sentence."""

import pytest

from retrieval.knowledge.answers.rendering import LANGUAGES, render_items, say_nothing

ITEMS = ["Переписал код трёх сервисов.", "Запустил сервис\nнотификаций", "Интегрировал рассылку"]


def test_each_item_is_a_line_of_its_own() -> None:
    assert render_items(ITEMS, total=3, language="ru").splitlines() == [
        "- Переписал код трёх сервисов.",
        "- Запустил сервис нотификаций",
        "- Интегрировал рассылку",
    ]


def test_a_limit_shortens_the_answer_and_says_how_many_more_there_are() -> None:
    answer = render_items([f"item {n}" for n in range(32)], total=32, language="en", limit=20)
    assert len(answer.splitlines()) == 21 and answer.splitlines()[-1] == "12 more, 32 in all."


def test_one_item_is_a_sentence_unless_a_list_is_asked_for() -> None:
    assert render_items(["EPAM Systems"], total=1, language="en") == "EPAM Systems."
    assert render_items(["EPAM Systems"], total=1, language="en", style="list") == "- EPAM Systems"
    assert render_items(ITEMS, total=3, language="ru", style="text").count("\n") == 0


@pytest.mark.parametrize("language", [*LANGUAGES, "zh"])
def test_nothing_is_one_short_sentence_in_each_language(language: str) -> None:
    sentence = render_items([], total=0, language=language)
    assert sentence == say_nothing(language=language) and len(sentence) < 60 and "\n" not in sentence
