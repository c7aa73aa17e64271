"""Sentences are taken word for word, those that say what is asked."""

import pytest

from retrieval.knowledge.answers.extracting import extract_answer, list_wanted, split_sentences

TEXT = "ALOR is a broker in Moscow. It was founded in 1997. The office has 300 people. Its site is alor.ru."
DELIVERY = "Delivery within Dubai takes one working day. To Abu Dhabi it costs 25 AED."


def test_the_sentence_that_has_the_words_is_the_answer() -> None:
    found = extract_answer("ALOR", TEXT, wanted=list_wanted("founded"))
    assert (found.text, found.coverage) == ("It was founded in 1997.", 1.0)


def test_words_that_a_text_does_not_have_lower_its_coverage() -> None:
    assert extract_answer("ALOR", TEXT, wanted=list_wanted("visa applications")).coverage == 0.0


@pytest.mark.parametrize("question", ["what is the capital of Peru", "who is the president of France"])
def test_a_name_is_not_answered_with_another_of_its_kind(question: str) -> None:
    assert extract_answer("Delivery", DELIVERY, wanted=list_wanted(question)).coverage < 0.5


def test_a_translated_word_counts_more_than_a_related_one_and_less_than_the_word_itself() -> None:
    own, translated, related = (
        extract_answer("", DELIVERY, wanted=list_wanted(question)).coverage
        for question in ("delivery", "доставка", "courier")
    )
    assert own == 1.0 > translated >= 0.5 > related > 0.0


def test_only_what_the_answer_says_counts_not_the_rest_of_the_text() -> None:
    text = "Silk is washed by hand, in cold water, never in a machine. Ten shops. Cold days are rare."
    found = extract_answer("", text, wanted=list_wanted("wash silk by hand in cold shops"))
    assert found.text.startswith("Silk") and "shops" not in found.text and found.coverage < 1.0


def test_the_whole_of_a_short_text_is_told_where_details_are_asked_for() -> None:
    assert extract_answer("ALOR", TEXT, wanted=[], is_whole=True).text == TEXT


def test_a_text_without_a_sentence_says_nothing() -> None:
    found = extract_answer("ALOR", "", wanted=list_wanted("founded"))
    assert (found.text, found.coverage) == ("", 0.0)


def test_a_point_inside_a_word_ends_no_sentence() -> None:
    assert split_sentences("See alor.ru now. Version 1.5 is out.") == ["See alor.ru now.", "Version 1.5 is out."]
