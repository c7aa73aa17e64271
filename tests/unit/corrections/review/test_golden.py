"""The form of a golden case: lines to operations, and the corpus's word for them."""

import pytest

from corrections.evaluation.corpus import make_case
from corrections.review.golden import GoldenDraft, build_content
from memory.errors import InvalidRequest


def make_draft(**changes: str) -> GoldenDraft:
    draft = {
        "language": "en",
        "turn": "Size L it is",
        "reply": "no, M",
        "facts": "body_params/size = L\nbudget/general = 500 disputed",
        "operations": "set body_params/size = M",
        "correction_type": "user_denied",
    }
    return GoldenDraft(**(draft | changes))


def test_a_draft_becomes_a_line_that_the_corpus_reads() -> None:
    content = build_content(make_draft())
    assert content["facts"] == [
        {"type": "body_params", "key": "size", "value": "L"},
        {"type": "budget", "key": "general", "value": 500, "disputed": True},
    ]
    assert content["expect"] == {
        "action": "supersede",
        "ops": [{"op": "set", "type": "body_params", "key": "size", "value": "M"}],
        "correction_type": "user_denied",
    }
    assert make_case({"id": "x", **content}).outcomes == {("set", "body_params", "size", "M")}


@pytest.mark.parametrize(
    ("operations", "action"),
    [
        ("", "none"),
        ("deactivate allergy/wool", "deactivate"),
        ("dispute allergy/wool", "dispute"),
        ("deactivate allergy/wool\nset allergy/cashmere = cashmere", "deactivate+add"),
    ],
)
def test_operations_have_one_word(operations: str, action: str) -> None:
    assert build_content(make_draft(operations=operations))["expect"]["action"] == action


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"language": "klingon"}, "language"),
        ({"turn": "  "}, "turn"),
        ({"reply": "x" * 601}, "reply"),
        ({"facts": "mood/sad = sad"}, "facts"),
        ({"operations": "forget allergy/wool"}, "operations"),
        ({"operations": "\n".join(["deactivate allergy/wool"] * 9)}, "operations"),
        ({"correction_type": "angry"}, "correction_type"),
    ],
)
def test_what_has_no_form_is_named(changes: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        build_content(make_draft(**changes))
    assert list(refused.value.fields) == [field]
