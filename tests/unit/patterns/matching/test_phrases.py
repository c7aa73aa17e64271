"""Phrases with alternatives, found in tokens."""

from uuid import uuid4

import pytest

from patterns.matching.lexicon import Entry
from patterns.matching.phrases import Cue, Phrase, PhraseBook, list_phrase_problems, list_phrases, split_slots
from patterns.rollout import get_bucket
from patterns.text.normaliser import normalise


def find(book: PhraseBook, text: str) -> list[Cue]:
    return book.find_all(normalise(text).tokens)


def test_a_group_stands_for_each_of_its_words() -> None:
    book = PhraseBook([Phrase("challenge", "source", "en", "where (did|do) you (get|hear from) that")])
    for text in ("where did you get that", "Where do you hear from THAT?"):
        assert [(cue.start, cue.category) for cue in find(book, text)] == [(0, "challenge")]
    assert find(book, "where did they get that") == []


def test_an_empty_choice_makes_a_group_optional() -> None:
    book = PhraseBook([Phrase("over", "over", "ru", "(уже|) прошла (вчера|)")])
    assert [(cue.start, cue.end) for cue in find(book, "уже прошла вчера")] == [(0, 3), (1, 3)]
    assert [(cue.start, cue.end) for cue in find(book, "прошла")] == [(0, 1)]


def test_the_longest_phrase_of_a_category_wins_at_a_place() -> None:
    book = PhraseBook([Phrase("denial", "plain", "en", "not"), Phrase("denial", "firm", "en", "not true")])
    assert [(cue.meaning, cue.end) for cue in find(book, "not true")] == [("firm", 2)]


def test_phrases_meet_text_in_any_spelling() -> None:
    book = PhraseBook([Phrase("denial", "plain", "ar", "لأ"), Phrase("self", "self", "en", "I'm")])
    assert len(find(book, "لا")) == 1
    assert len(find(book, "I’m")) == 1


def test_a_phrase_that_may_be_empty_is_refused() -> None:
    with pytest.raises(ValueError, match="may be empty"):
        PhraseBook([Phrase("denial", "plain", "en", "(no|)")])


def test_slots_are_words_and_choices_in_order() -> None:
    assert split_slots("who (told|gave) you") == [[("who",)], [("told",), ("gave",)], [("you",)]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("where (did you", "brackets must close"),
        ("where (did (you|u)) go", "none may stand inside"),
        ("yes|no", "stands inside brackets"),
        ("(maybe|) (not|)", "says nothing"),
        ("(a|b) " * 30, "too many choices"),
        ("\u200b", "says nothing"),
    ],
)
def test_a_phrase_that_can_not_be_used_is_refused_in_words(text: str, reason: str) -> None:
    assert any(reason in problem for problem in list_phrase_problems(text))


def test_entries_of_replies_are_phrases_and_no_words() -> None:
    entries = [
        Entry("reply.denial", "plain", "en", ("nope", "not (at|) all")),
        Entry("fabric", "wool", "en", ("wool",)),
    ]
    assert [(one.category, one.text) for one in list_phrases(entries)] == [
        ("denial", "nope"),
        ("denial", "not (at|) all"),
    ]


def test_phrases_on_trial_are_found_for_the_users_of_the_trial_alone() -> None:
    book = PhraseBook(
        [
            Phrase("denial", "plain", "en", "no", held_back_percent=30),
            Phrase("denial", "plain", "en", "no", rollout_percent=30),
            Phrase("denial", "plain", "en", "nay", rollout_percent=30),
        ]
    )
    name = "reply.denial/plain/en"
    users = [uuid4() for _ in range(60)]
    tried = {user for user in users if get_bucket(slug=name, user_id=user) < 30}
    assert 0 < len(tried) < len(users)
    tokens = normalise("nay no").tokens
    for user in users:
        starts = [cue.start for cue in book.find_all(tokens, user_id=user)]
        assert starts == ([0, 1] if user in tried else [1])
    assert [cue.start for cue in book.find_all(tokens)] == [1]
