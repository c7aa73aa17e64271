"""What a question is about, apart from what it wants done with the answer."""

import pytest

from patterns.text.tokens import tokenise
from retrieval.index.traits import Traits
from retrieval.search.questions import find_terms, read_question


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


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("محمد", "lunch with Mohammed"),
        ("Mohamed", "كلمت محمد امس"),
        ("فاطمة", "a call from Fatima"),
        ("الجزمة", "gazmeti el gdeeda"),
        ("gazma gdeeda", "جزمتي"),
        ("قهوتي", "gahwti el sob7"),
        ("شنطتي", "jan6a w shanta"),
        ("jan6ati", "الجنطة"),
        ("اشتريتها", "اشتريت شنطة"),
        ("猫", "我家的猫"),
        ("小猫", "一只猫"),
        ("Шарджа", "a day in Sharjah"),
        ("Leila", "пришла Лейла"),
        ("Marina birthday", "Марина родилась в мае"),
        ("отзыв", "два отзыва"),
        ("колорит colours", "a color"),
    ],
)
def test_a_question_meets_a_message_in_other_letters_or_forms(question: str, message: str):
    stored = {lexeme for token in tokenise(message) for lexeme, _ in token.lexemes}
    assert stored & {term.lexeme for term in find_terms(question)}


def test_two_latin_names_of_one_skeleton_do_not_meet_in_it():
    stored = {lexeme for token in tokenise("a week in Mwlan") for lexeme, _ in token.lexemes}
    assert not stored & {term.lexeme for term in find_terms("Mlayne went with a friend")}


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


@pytest.mark.parametrize(
    "question",
    [
        "What did you recommend to me?",
        "the training plan you gave me",
        "How didn't you mention the price?",
        "what was on your packing list?",
        "which of your suggestions did I take?",
        "что ты мне советовал?",
        "متى قلت لي أصبغ شعري؟",
    ],
)
def test_a_question_about_what_the_assistant_said_is_told(question: str):
    assert read_question(question).asks_about_assistant


@pytest.mark.parametrize(
    "question",
    [
        "What did I buy?",
        "Can you suggest some options I might like?",
        "Which video lessons would you recommend?",
        "Could you tell me where I parked?",
        "Can you list the order in which I brought up my pets?",
        "In what order did I tell you about my injuries? Mention only four.",
    ],
)
def test_a_request_is_no_question_about_what_the_assistant_said(question: str):
    assert not read_question(question).asks_about_assistant


@pytest.mark.parametrize(
    "question",
    [
        "Can you give me a quick summary of the sneakers we talked about?",
        "Summarise how my training went",
        "please sum up the fit-out",
        "an overview of my health issues",
        "Подведи, пожалуйста, итоги ремонта",
        "Подведи итоги по ремонту",
        "Дай краткую сводку моих покупок",
        "сделай мне обзор наших поездок",
        "لخصي لي رحلتي",
        "ملخص عن مشترياتي",
        "la5esi li el safar",
        "总结一下我的旅行",
    ],
)
def test_a_question_for_a_summary_is_told(question: str):
    assert read_question(question).asks_for_summary


@pytest.mark.parametrize(
    "question",
    [
        "What summer dress did I buy?",
        "Who overviewed it?",
        "итоговая цена платья?",
        "сколько стоило платье?",
        "خلصت القهوة؟",
    ],
)
def test_other_questions_ask_for_no_summary(question: str):
    assert not read_question(question).asks_for_summary
