"""Lines of an export are held against the shapes that the room itself uses: a file may come from anywhere."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from memory.errors import InvalidRequest
from memory.imports.lines import read_line
from memory.types import Fact

LINE: dict[str, Any] = {
    "kind": "fact",
    "id": "01a20000-0000-7000-8000-000000000001",
    "knowledge_type": "allergy",
    "knowledge_key": "nickel",
    "value": "nickel",
    "confidence": 0.95,
    "extracted_from": "instant_pattern",
    "provenance": "confirmed_by_user",
    "valid_at": "2026-01-01T10:00:00+04:00",
    "last_validated_at": "2026-01-01T10:00:00+04:00",
    "log_position": 7,
    "evidence_message_ids": ["01a20000-0000-7000-8000-000000000002"],
    "of_a_later_version": True,
}


def test_a_fact_in_a_file_is_a_fact() -> None:
    fact = read_line(LINE)
    assert isinstance(fact, Fact)
    assert fact.slot == ("allergy", "nickel")
    assert fact.valid_at == datetime(2026, 1, 1, 6, tzinfo=UTC)
    assert fact.evidence_message_ids == (UUID("01a20000-0000-7000-8000-000000000002"),)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "1"),
        ("knowledge_type", "mood"),
        ("knowledge_type", "allergy\n"),
        ("knowledge_key", ""),
        ("knowledge_key", "x" * 101),
        ("confidence", 1.01),
        ("confidence", 0),
        ("extracted_from", "dream"),
        ("provenance", "hearsay"),
        ("epistemic_type", None),
        ("valid_at", "2026-01-01T10:00:00"),
        ("valid_at", 0),
        ("log_position", 0),
        ("log_position", 2**54),
        ("evidence_message_ids", "all"),
        ("is_active", 1),
        ("language", "x" * 17),
    ],
)
def test_a_fact_that_is_none_is_refused_by_the_name_of_what_is_wrong(name: str, value: object) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_line({**LINE, name: value})
    assert list(refused.value.fields) == [name]


def test_a_time_that_no_zone_can_hold_is_refused() -> None:
    with pytest.raises(InvalidRequest, match=r"."):
        read_line({**LINE, "expires_at": "9999-12-31T23:59:59+00:00"})


@pytest.mark.parametrize("kind", ["receipt", "", None, 4, ["fact"]])
def test_other_kinds_are_no_lines_of_this_reader(kind: object) -> None:
    assert read_line({**LINE, "kind": kind}) is None
