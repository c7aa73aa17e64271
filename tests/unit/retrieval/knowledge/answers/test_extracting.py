"""Sentences are taken word for word, those that say what is asked."""

from retrieval.knowledge.answers.extracting import extract_answer, list_wanted, split_sentences

TEXT = "ALOR is a broker in Moscow. It was founded in 1997. The office has 300 people. Its site is alor.ru."


def test_the_sentence_that_has_the_words_is_the_answer() -> None:
    found = extract_answer("ALOR", TEXT, wanted=list_wanted("founded"))
    assert (found.text, found.coverage) == ("It was founded in 1997.", 1.0)


def test_words_that_a_text_does_not_have_lower_its_coverage() -> None:
    assert extract_answer("ALOR", TEXT, wanted=list_wanted("visa applications")).coverage == 0.0


def test_the_whole_of_a_short_text_is_told_where_details_are_asked_for() -> None:
    assert extract_answer("ALOR", TEXT, wanted=[], is_whole=True).text == TEXT


def test_a_point_inside_a_word_ends_no_sentence() -> None:
    assert split_sentences("See alor.ru now. Version 1.5 is out.") == ["See alor.ru now.", "Version 1.5 is out."]
