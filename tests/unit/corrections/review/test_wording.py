"""What of a rewritten text is still the user's own."""

import pytest

from corrections.review.wording import find_longest_run, is_own_words

SAID = "no, that is wrong, I am not allergic to nickel"


@pytest.mark.parametrize(
    "rewritten",
    [
        SAID,
        "NO that is wrong — I am NOT allergic to wool",
        "listen: i am not allergic to it",
        "wool? that is wrong, believe me",
        "no, tha\u200bt is wro\u00adng, I said so",
    ],
)
def test_three_words_in_a_row_are_the_users_own(rewritten: str) -> None:
    assert is_own_words(rewritten=rewritten, original=SAID)


@pytest.mark.parametrize("rewritten", ["wrong, wool is fine for me", "no, that was untrue; I am fond of wool"])
def test_a_retold_text_may_stand(rewritten: str) -> None:
    assert not is_own_words(rewritten=rewritten, original=SAID)


def test_marks_and_letter_variants_do_not_make_a_text_another() -> None:
    assert is_own_words(rewritten="Это ещё не мое", original="это еще не моё")
    assert is_own_words(rewritten="لَا هذا مـــو صح", original="لا هذا مو صح")


@pytest.mark.parametrize("original", ["no", "нет, неправда"])
def test_one_or_two_words_are_nobodys_own(original: str) -> None:
    assert not is_own_words(rewritten=original, original=original)


def test_a_script_without_spaces_is_counted_by_its_letters() -> None:
    said = "我对镍过敏，请不要推荐"
    assert is_own_words(rewritten=said, original=said)
    assert is_own_words(rewritten="她说我对镍过敏", original=said)
    assert not is_own_words(rewritten="羊毛让我过敏", original=said)
    assert not is_own_words(rewritten="过敏", original="过敏")


def test_the_longest_run_is_counted_in_words() -> None:
    assert find_longest_run("a b c d", "x b c y b c d") == 3
    assert find_longest_run("", "a") == 0
