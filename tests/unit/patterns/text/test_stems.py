"""One stem for all forms and spellings of a word, in English, Russian and Arabic."""

import pytest

from patterns.text.arabic import find_other_form, list_skeleton_variants, normalise_arabic, stem_arabic
from patterns.text.stems import stem_english, stem_russian


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("colour", "color"),
        ("favourites", "favorite"),
        ("neighbours", "neighbor"),
        ("organised", "organize"),
        ("summarising", "summarize"),
        ("licence", "license"),
        ("centre", "center"),
        ("kilometres", "km"),
        ("jewellery", "jewelry"),
    ],
)
def test_british_and_american_spelling_have_one_stem(british: str, american: str):
    assert stem_english(british) == stem_english(american)


@pytest.mark.parametrize("word", ["exercise", "promised", "surprises", "advising", "tennis", "wise"])
def test_words_with_s_in_both_spellings_stay(word: str):
    assert "iz" not in stem_english(word)


@pytest.mark.parametrize(("one", "other"), [("wise", "wide"), ("hours", "horse"), ("four", "for"), ("poured", "pored")])
def test_other_english_words_stay_apart(one: str, other: str):
    assert stem_english(one) != stem_english(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("отзыв", "отзывы"),
        ("перерыв", "перерыва"),
        ("сумка", "сумок"),
        ("подарок", "подарки"),
        ("рубашка", "рубашек"),
        ("палец", "пальцем"),
        ("отец", "отца"),
        ("нашла", "найду"),
        ("живу", "жили"),
        ("время", "времени"),
    ],
)
def test_russian_forms_have_one_stem(one: str, other: str):
    assert stem_russian(one) == stem_russian(other)


@pytest.mark.parametrize(("one", "other"), [("сон", "сын"), ("рок", "рак")])
def test_other_russian_words_stay_apart(one: str, other: str):
    assert stem_russian(one) != stem_russian(other)


@pytest.mark.parametrize(
    ("mine", "the"), [("لوحتي", "لوحة"), ("شنطتها", "الشنطة"), ("وسيارته", "سيارة"), ("حفلتنا", "حفلة")]
)
def test_a_possessive_opens_a_ta_marbuta(mine: str, the: str):
    form = find_other_form(normalise_arabic(mine))
    assert form is not None and stem_arabic(form) == stem_arabic(normalise_arabic(the))


@pytest.mark.parametrize("word", ["بنتي", "بيتي", "لوحاتي", "وقتك"])
def test_a_root_that_ends_in_t_keeps_it(word: str):
    assert find_other_form(word) is None


@pytest.mark.parametrize(("denied", "said"), [("مبحبش", "بحب"), ("مابلبسش", "بلبس"), ("بلبسش", "بلبس")])
def test_an_egyptian_not_is_taken_off_its_verb(denied: str, said: str):
    assert find_other_form(denied) == said


@pytest.mark.parametrize("word", ["مشمش", "مفرش", "قماش", "عيش"])
def test_nouns_with_the_same_letters_are_not_denied(word: str):
    assert find_other_form(word) is None


def test_a_question_is_read_as_other_dialects_spell_it():
    assert list_skeleton_variants("gzm", is_arabizi=True) == ("jzm", "qzm")
    assert list_skeleton_variants("jzm", is_arabizi=False) == ("gzm",)
    assert list_skeleton_variants("ql", is_arabizi=False) == ("gl",)
