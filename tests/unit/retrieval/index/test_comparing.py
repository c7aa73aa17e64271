"""Why a derived row differs: another engine wrote it, or nothing explains it (SPEC M-4)."""

import json
from uuid import UUID

import pytest

from retrieval.index.comparing import _compare

MESSAGE = UUID(int=7)


def compare(
    stored: dict[str, str] | None, rebuilt: dict[str, str] | None, *former: dict[str, str]
) -> list[tuple[str, str]]:
    before = {} if stored is None else {MESSAGE: [json.dumps(row) for row in (stored, *former)]}
    after = {} if rebuilt is None else {MESSAGE: [json.dumps(rebuilt)]}
    return [(each.problem, each.reason) for each in _compare("message_embedding", before, after)]


@pytest.mark.parametrize("version", ["tokeniser", "model_id"])
def test_what_another_engine_wrote_is_no_drift(version: str) -> None:
    assert compare({version: "a", "embedding": "x"}, {version: "b", "embedding": "y"}) == [
        ("different", "engine_changed")
    ]


def test_what_the_same_engine_would_write_otherwise_is_drift() -> None:
    assert compare({"model_id": "a", "embedding": "x"}, {"model_id": "a", "embedding": "y"}) == [("different", "drift")]


def test_rows_without_a_counterpart_are_drift() -> None:
    assert compare(None, {"embedding": "y"}) == [("missing", "drift")]
    assert compare({"embedding": "y"}, None) == [("unfounded", "drift")]
    assert compare({"embedding": "y"}, {"embedding": "y"}) == []


def test_a_vector_of_a_former_embedder_beside_the_right_one_is_named() -> None:
    right, former = {"model_id": "b", "embedding": "y"}, {"model_id": "a", "embedding": "x"}
    wrong = {"model_id": "b", "embedding": "z"}
    assert compare(right, right, former) == [("different", "engine_changed")]
    assert compare(former, right, right) == [("different", "engine_changed")]
    assert compare(wrong, right, former) == [("different", "drift"), ("different", "engine_changed")]
