"""What differs between two versions, as people see it."""

from patterns.rules.differences import list_differences

BEFORE = {"pattern": "allergic to", "positive_examples": ["a", "b"], "is_active": True, "literals": ["x"]}


def test_equal_contents_have_no_differences() -> None:
    assert list_differences(BEFORE, dict(BEFORE)) == []


def test_a_text_differs_in_pieces() -> None:
    (field,) = list_differences(BEFORE, BEFORE | {"pattern": "allergic (?:even )?to"})
    assert [(line.text, line.tone) for line in field.lines] == [
        ("allergic ", "kept"), ("(?:even )?", "added"), ("to", "kept"),
    ]  # fmt: skip


def test_a_list_differs_by_the_lines_that_came_and_went() -> None:
    (field,) = list_differences(BEFORE, BEFORE | {"positive_examples": ["a", "c"]})
    assert (field.name, [(line.text, line.tone) for line in field.lines]) == (
        "must catch", [("b", "removed"), ("c", "added")],
    )  # fmt: skip


def test_yes_and_no_are_said_in_words() -> None:
    (field,) = list_differences(BEFORE, BEFORE | {"is_active": False})
    assert [line.text for line in field.lines] == ["yes", "no"]


def test_what_is_worked_out_from_other_fields_is_not_shown() -> None:
    assert list_differences(BEFORE, BEFORE | {"literals": ["y"]}) == []


def test_a_first_version_shows_what_it_holds() -> None:
    assert {field.name for field in list_differences(None, BEFORE)} == {"pattern", "must catch", "on"}


def test_a_pattern_of_several_alternatives_is_compared_line_by_line() -> None:
    (field,) = list_differences({"pattern": "a|(?:b|c) d"}, {"pattern": "a|e|(?:b|c) d"})
    assert (field.is_inline, [(line.text, line.tone) for line in field.lines]) == (False, [("e", "added")])
