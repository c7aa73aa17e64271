"""What a message wants, in four languages."""

import pytest

from config.chat.understanding import read_data, understand
from retrieval.pack.budget import INTENT_DEPTHS


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Hello!", "greeting"),
        ("Привет", "greeting"),
        ("السلام عليكم", "greeting"),
        ("mar7aba", "greeting"),
        ("thank you so much", "thanks"),
        ("Спасибо большое", "thanks"),
        ("What should I wear tomorrow to my sister's wedding?", "recommendation"),
        ("посоветуйте платье на вечер", "recommendation"),
        ("شو البس بكرة؟", "recommendation"),
        ("shu albas bokra", "recommendation"),
        ("what do you know about me?", "preference_check"),
        ("Что вы обо мне знаете? что ты знаешь обо мне", "preference_check"),
        ("It arrived broken and I want a refund", "complaint"),
        ("Что я говорила про шерсть?", "recall"),
        ("Please order the blue one", "action"),
        ("закажи мне синее платье", "action"),
        ("احجز لي موعد", "action"),
        ("is linen warm?", "question"),
        ("сколько стоит доставка", "question"),
        ("I went for a walk with my dog", "chat"),
        ("", "chat"),
        ("👍", "chat"),
    ],
)
def test_the_words_of_a_message_say_what_it_wants(text: str, intent: str) -> None:
    assert understand(text).intent_type == intent


def test_a_greeting_that_goes_on_is_about_what_comes_after() -> None:
    assert understand("Hello, what should I wear to the office on Monday?").intent_type == "recommendation"


def test_only_actions_require_one() -> None:
    assert understand("book a table for two").action_required
    for text in ("I read a good book about tables", "in order to be on time", "я купил то, что закажи называется"):
        assert not understand(text).action_required


def test_what_the_message_states_is_what_it_speaks_of() -> None:
    found = understand("my size is M", facts=[{"knowledge_key": "size", "value": "M"}])
    assert found.extracted_entities == {"size": "M"}


def test_every_row_has_four_languages_a_known_depth_and_a_guide() -> None:
    for row in read_data("intents")["intents"]:
        assert set(row["phrases"]) == {"en", "ru", "ar", "arabizi"}
        assert row["depth"] in INTENT_DEPTHS
        assert row["phase"] in read_data("guides")
