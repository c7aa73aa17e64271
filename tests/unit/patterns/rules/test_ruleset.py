from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patterns.rules.accuracy import load_corpus
from patterns.rules.selftest import list_failed_examples
from tests.unit.patterns.conftest import SAID_AT

CORPUS = Path(__file__).parents[3] / "data" / "instant" / "proof"


def test_every_rule_keeps_the_promise_of_its_examples(rule_set) -> None:
    assert list_failed_examples(rule_set) == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("мой размер M, кожу не ношу, бюджет 700", {"body_params/size=M", "hard_ban/leather", "budget/general=700"}),
        ("مقاسي M بس mabi open shoulders يعني", {"body_params/size=M", "hard_ban/open_shoulders"}),
        ("у меня حساسية на silk", {"allergy/silk"}),
        ("my size is M, do you have this in black?", {"body_params/size=M"}),
        ("wallah 7ilu this dress", set()),
    ],
)
def test_facts_of_several_kinds_and_languages_in_one_message(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


def test_the_evidence_is_the_raw_words_that_say_it(rule_set) -> None:
    text = "Ну  что — МОЙ размер\u00a0М, да"
    reading = rule_set.read(text, said_at=SAID_AT).readings[0]
    assert text[reading.start : reading.end] == "МОЙ размер\u00a0М"
    assert (reading.rule, reading.confidence) == ("size-ru-own", 0.95)


def test_what_a_correction_has_dealt_with_is_not_read_again(read) -> None:
    assert read("no, I don't want leather", denied=frozenset({("hard_ban", "leather")})) == set()


def test_the_beginning_of_a_long_message_is_read_and_it_is_said(rule_set) -> None:
    result = rule_set.read("my size is M. " + "blah " * 1000 + "allergic to wool", said_at=SAID_AT)
    assert result.is_capped
    assert [r.knowledge_key for r in result.readings] == ["size"]


def test_a_reading_names_its_set_and_language(rule_set) -> None:
    result = rule_set.read("mabi farw", said_at=SAID_AT)
    assert (result.rule_set_version, result.language) == (7, "arabizi")


@pytest.mark.parametrize(
    ("text", "language"),
    [("не хочу кожу", "ru"), ("no leather", "en"), ("ما أبي جلد", "ar"), ("ma abi jild 3indi", "arabizi"),
     ("never suggest مخمل please", "mixed"), ("42!", "other")],
)  # fmt: skip
def test_the_language_of_a_message(rule_set, text: str, language: str) -> None:
    assert rule_set.read(text, said_at=SAID_AT).language == language


NOISES = {
    "capitals": str.upper,
    "curly apostrophes": lambda t: t.replace("'", "’"),
    "no apostrophes": lambda t: t.replace("'", "") if "5'" not in t else t,
    "no-break spaces": lambda t: t.replace(" ", "\u00a0"),
    "zero-width": lambda t: "\u200f" + t + "\u200b",
    "yo": lambda t: t.replace("ё", "е"),
    "hamza": lambda t: t.translate(str.maketrans("أإآةى", "اااهي")),
    "tatweel": lambda t: t.replace("س", "ســ"),
}


@pytest.mark.parametrize("noise", NOISES)
def test_noise_changes_nothing(rule_set, noise: str) -> None:
    for row in load_corpus(CORPUS)[::8]:
        text = row["text"]
        said_at = datetime.fromisoformat("2026-03-02T12:00:00+04:00")
        plain = {(r.knowledge_type, r.knowledge_key, r.value) for r in rule_set.read(text, said_at=said_at).readings}
        noisy = rule_set.read(NOISES[noise](text), said_at=said_at).readings
        assert {(r.knowledge_type, r.knowledge_key, r.value) for r in noisy} == plain, text


WORDS = ["my", "size", "M", "не", "ношу", "кожу", "allergic", "to", "wool", ",", "?", "ميزانيتي", "500", "-", "\n", "свадьба",
         "in", "2", "weeks", "ma", "albas", "jild", '"', "й", "(", "5'8", "٣", "😂", "maybe", "sister"]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_no_text_whatever_makes_it_fail_and_the_same_text_reads_the_same(rule_set, words: list[str]) -> None:
    text = " ".join(words)
    first = rule_set.read(text, said_at=SAID_AT)
    assert first == rule_set.read(text, said_at=SAID_AT)
    assert all(0 <= r.start < r.end <= len(text) for r in (*first.readings, *first.rejections))


@settings(max_examples=200)
@given(st.text(max_size=80))
def test_any_characters_are_read_without_failing(rule_set, text: str) -> None:
    rule_set.read(text, said_at=SAID_AT)


def test_sets_that_differ_in_their_rules_alone_share_their_words(rule_set) -> None:
    fewer = rule_set.exchange_rules(rule_set.rules[1:], version=2)
    assert (fewer.lexicon, fewer.derived, fewer.phrase_book) == (
        rule_set.lexicon,
        rule_set.derived,
        rule_set.phrase_book,
    )
    assert fewer.phrase_book is rule_set.phrase_book


def test_sets_with_other_phrases_keep_them_apart(rule_set) -> None:
    fewer = rule_set.exchange_phrases(rule_set.phrases[1:])
    assert fewer.lexicon is rule_set.lexicon
    assert fewer.derived is not rule_set.derived
    assert fewer.phrase_book is not rule_set.phrase_book
