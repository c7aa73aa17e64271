"""What a question is about, apart from what it wants done with the answer."""

import pytest

from retrieval.questions import find_terms, read_question
from retrieval.traits import Traits


def list_words(text: str) -> set[str]:
    return {term.lexeme for term in find_terms(text) if ":" not in term.lexeme}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Can you list the order in which I brought up my pets throughout our conversations, in order?", {"pet"}),
        ("Mention only five items: which films did I mention?", {"film"}),
        ("Give me a clear and complete summary of how my garden has developed", {"garden"}),
        ("In what order did I tell you about the boats?", {"boat"}),
        ("Перечисли мои платья по порядку, пожалуйста", {"плат"}),
    ],
)
def test_words_that_say_what_to_do_with_the_answer_are_not_searched_for(question: str, words: set[str]):
    assert list_words(question) == words


def test_arabic_frames_are_left_out_too():
    assert "لولو" in list_words("عددي لي كل ما قلته عن لولو") and "عدد" not in list_words("عددي لي كل ما قلته عن لولو")


@pytest.mark.parametrize(
    "question", ["Did the parcel arrive in order for her to leave?", "Which shoes did I order in May?"]
)
def test_an_order_that_is_no_sequence_is_searched_for(question: str):
    assert "order" in list_words(question)


def test_a_question_of_nothing_else_is_searched_for_as_it_stands():
    assert list_words("Give me a summary of our conversations, in order") == {"give", "summari", "convers", "order"}


def test_what_a_question_asks_for_is_still_seen_in_all_of_it():
    question = read_question("Can you list the order in which I brought up my pets?")
    assert Traits.RECALL in question.traits
    assert question.text.startswith("Can you list")
