"""Marks in the evidence: where a value is written, and texts cut by them."""

from datetime import datetime
from uuid import uuid4

from config.console.review.marking import find_correction_marks, find_marks, find_near, find_written
from config.console.rules.samples import cut_marks
from memory.types import Fact
from patterns.rules.ruleset import RuleSet

SAID_AT = datetime.fromisoformat("2026-03-02T12:00:00+04:00")


def test_a_value_is_marked_as_a_whole_word_in_any_case() -> None:
    assert find_written("Size M, not medium; m", "M") == [(5, 6), (20, 21)]
    assert find_written("nothing", "") == []


def test_marks_that_overlap_cut_a_text_without_losing_a_letter() -> None:
    pieces = cut_marks("abcdefgh", [(4, 6), (1, 3), (2, 5)])
    assert [(piece.text, piece.tone) for piece in pieces] == [
        ("a", ""),
        ("bc", "found"),
        ("de", "found"),
        ("f", "found"),
        ("gh", ""),
    ]
    assert "".join(piece.text for piece in pieces) == "abcdefgh"
    assert [piece.text for piece in cut_marks("abc", [])] == ["abc"]


def test_a_value_beside_its_match_is_marked_and_one_far_away_is_not() -> None:
    text = "мне 168, рост у меня 168, а дальше ещё много слов о погоде и о чём угодно: 168"
    match = (text.index("рост"), text.index("рост") + len("рост у меня"))
    assert find_near(find_written(text, 168), [match]) == [(21, 24)]
    assert find_near(find_written("my size is M, as ever", "M"), [(0, 12)]) == []
    assert find_near([], [(0, 11)]) == []


def make_fact(knowledge_type: str, value: object, key: str = "") -> Fact:
    return Fact(
        id=uuid4(),
        knowledge_type=knowledge_type,
        knowledge_key=key or str(value),
        value=value,
        confidence=0.9,
        extracted_from="batch",
        provenance="analysis",
        valid_at=SAID_AT,
        last_validated_at=SAID_AT,
        log_position=0,
    )


def mark(rule_set: RuleSet, text: str, fact: Fact) -> list[str]:
    marks = find_marks(text, fact=fact, rule_set=rule_set, said_at=SAID_AT)
    return [piece.text for piece in cut_marks(text, marks) if piece.tone]


def test_the_mark_covers_the_trigger_and_the_value_in_its_own_language(rule_set: RuleSet) -> None:
    assert mark(rule_set, "ну у меня аллергия на шерсть, да", make_fact("allergy", "wool")) == ["аллергия на шерсть"]
    assert mark(rule_set, "my height, if you ask, is 168", make_fact("body_params", 168, "height"))[-1].endswith("168")


def test_words_that_no_rule_reads_are_marked_by_the_value_and_the_nearest_trigger(rule_set: RuleSet) -> None:
    text = "сестра аллергик на никель, а я шерсть не переношу"
    assert mark(rule_set, text, make_fact("allergy", "wool")) == ["шерсть", "не переношу"]
    assert mark(rule_set, "M it is, as always", make_fact("body_params", "M", "size")) == ["M"]


def test_the_mark_is_on_the_fact_that_is_judged_and_not_on_another_of_its_type(rule_set: RuleSet) -> None:
    marked = mark(rule_set, "I'm allergic to nickel. Wool is what my skin hates too", make_fact("allergy", "wool"))
    assert "Wool" in " ".join(marked)


def test_a_correction_is_marked_by_its_denial_and_by_what_it_denies(rule_set: RuleSet) -> None:
    text = "No, that's wrong, I'm not allergic to wool"
    marks = find_correction_marks(text, fact=make_fact("allergy", "wool"), rule_set=rule_set)
    marked = [piece.text for piece in cut_marks(text, marks) if piece.tone]
    assert marked == ["No", "that's wrong", "I'm not", "allergic", "wool"]
    assert find_correction_marks("что-то ещё", fact=None, rule_set=rule_set) == []
