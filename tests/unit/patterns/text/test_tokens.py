"""Words in every script: what is kept, what meets what, and that no text breaks a literal."""

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from patterns.text.arabic import find_arabizi_skeleton, find_skeleton, normalise_arabic, stem_arabic
from patterns.text.tokens import (
    MAX_QUERY_GROUPS,
    build_date_text,
    clean_text,
    count_words,
    list_query_terms,
    looks_like_arabizi,
    split_words,
    tokenise,
)
from patterns.text.transliteration import find_name_key
from retrieval.index.entries import DATE_TOKENS
from retrieval.search.questions import detect_language, read_question


def list_lexemes(text: str, **more: bool) -> set[str]:
    return {lexeme for token in tokenise(text, **more) for lexeme, _ in token.lexemes}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("skirts", "skirt"),
        ("bought", "buying"),
        ("children", "child"),
        ("платья", "платье"),
        ("дети", "ребёнок"),
        ("ёлка", "елка"),
        ("فستان", "الفستان"),
        ("فستان", "فساتين"),
        ("حساسية", "7asasiya min"),
        ("Лейла", "Leila"),
        ("Лейла", "Layla"),
        ("1,000", "1000"),
        ("٥٠٠", "500"),
        ("May 2023", "в мае"),
        ("ноябрь", "November"),
        ("连衣裙", "红色的连衣裙"),
        ("ﻓﺴﺘﺎﻥ", "فستان"),
    ],
)
def test_two_spellings_of_one_thing_share_a_lexeme(one: str, other: str):
    assert list_lexemes(one) & list_lexemes(other)


@pytest.mark.parametrize(
    ("one", "other"), [("skirt", "shirt"), ("платье", "плащ"), ("فستان", "بنطلون"), ("500", "5000")]
)
def test_two_different_things_share_none(one: str, other: str):
    assert not list_lexemes(one) & list_lexemes(other)


def test_stop_words_leave_no_lexeme():
    assert list_lexemes("who am I and what is that") == set()
    assert list_lexemes("кто я и что это") == set()


@pytest.mark.parametrize("word", ["7asasiya", "7assasiya", "al7asasiya", "7asasiyah"])
def test_arabizi_spellings_have_the_skeleton_of_the_arabic_word(word: str):
    assert find_arabizi_skeleton(word) == find_skeleton(normalise_arabic("حساسية"))


def test_a_light_stem_never_falls_below_three_letters():
    assert stem_arabic("فيلم") == "فيلم"
    assert len(stem_arabic("والله")) >= 3


def test_a_name_key_is_the_same_in_both_alphabets():
    assert find_name_key("катя") == find_name_key("katya")
    assert find_name_key("yo") is None


@pytest.mark.parametrize(
    ("text", "is_arabizi"),
    [
        ("3indi 7asasiya", True),
        ("wallah ana abi shay", True),
        ("abi shay 7ag el weekend", True),
        ("see you at 10am on the 3rd", False),
        ("my 2nd meeting is in 5months", False),
        ("I like linen", False),
    ],
)
def test_arabizi_is_told_from_english(text: str, is_arabizi: bool):
    assert looks_like_arabizi(text.lower().split()) is is_arabizi


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("какое платье?", "ru"),
        ("which dress?", "en"),
        ("أبي فستان", "ar"),
        ("3indi 7asasiya", "arabizi"),
        ("مقاسي M بس مابي open shoulders", "mixed"),
        ("42", "en"),
        ("我喜欢连衣裙", "zh"),
    ],
)
def test_the_language_of_a_question(text: str, language: str):
    assert detect_language(text) == language


def test_spellings_of_one_word_share_a_group():
    terms = list_query_terms("الفساتين")
    spellings = [term for term in terms if not term.lexeme.startswith("c:")]
    assert len(spellings) > 1
    assert {term.group for term in spellings} == {0}


def test_a_pasted_page_as_a_question_is_cut():
    groups = {term.group for term in list_query_terms(" ".join(f"word{n}" for n in range(500)))}
    assert len(groups) == MAX_QUERY_GROUPS


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str):
    tokens = tokenise(text)
    assert all(lexeme and len(lexeme) <= 80 for token in tokens for lexeme, _ in token.lexemes)
    assert count_words(text) >= 0
    read_question(text)


def reads_as_arabizi(text: str) -> bool:
    return looks_like_arabizi([word.lower() for word in split_words(clean_text(text))])


@given(st.text(max_size=120), st.dates())
@example("7ilu wayed bas ma abi loon il a7mar", date(2026, 3, 2))
@example("فستان احمر ١٢ مقاس", date(2026, 5, 31))
@example("我喜欢连衣裙 30cm ½ e\u0301, 5 and.3", date(2026, 12, 12))
def test_a_date_in_front_is_three_tokens_and_changes_none_behind_it(text: str, day: date):
    written = build_date_text(datetime.combine(day, time(), UTC))
    # One Arabizi word tells in a short text alone, and three words more may be too many for it.
    assume(reads_as_arabizi(f"{written} {text}") == reads_as_arabizi(text))
    assert tokenise(f"{written} {text}")[DATE_TOKENS:] == tokenise(text)


def test_one_arabizi_word_tells_in_a_short_text_alone_and_not_behind_a_date():
    text, written = "2AA:5À", build_date_text(datetime(2000, 1, 1, tzinfo=UTC))
    assert "k:xà" in list_lexemes(text)
    assert "k:xà" not in list_lexemes(f"{written} {text}")


def test_the_day_of_a_message_does_not_depend_on_the_zone_that_it_was_sent_in():
    late = datetime(2026, 3, 2, 1, 30, tzinfo=timezone(timedelta(hours=4)))
    assert build_date_text(late) == build_date_text(late.astimezone(UTC)) == "1 March 2026"
