"""Phrases in a text, without a plan."""

from retrieval.knowledge.planning.phrases import PhraseHit, PhraseTable, list_words

TABLE = PhraseTable({"refund": ["i want a refund", "верните деньги"], "greeting": ["hello", "=мир"]})


def test_a_phrase_is_found_by_stems_in_order_with_a_few_words_between() -> None:
    assert TABLE.find("Now I really want a full refund") == [PhraseHit("refund", 4, 1)]
    assert TABLE.find("Пожалуйста, верните мне деньги") == [PhraseHit("refund", 2, 1)]
    assert TABLE.find("a refund is what I want") == []


def test_a_marked_word_asks_for_this_very_form() -> None:
    assert [hit.name for hit in TABLE.find("мир")] == ["greeting"]
    assert TABLE.find("миром") == []


def test_words_are_small_and_without_marks() -> None:
    assert list_words("Hello, ЁЖ! 2x") == ["hello", "еж", "2x"]
