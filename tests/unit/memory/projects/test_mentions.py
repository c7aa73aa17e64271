"""Records that prose names: few are missed, and hardly one is made up. Measured over labelled sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.project_links import FILES, measure_links
from memory.projects.importing.records import Naming

LEAST_PRECISION, LEAST_RECALL = 0.98, 0.90


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_links_from_prose_are_right_and_nearly_all_there(file: Path) -> None:
    found = measure_links(file)
    assert found.right > 50 and found.precision >= LEAST_PRECISION and found.recall >= LEAST_RECALL


def test_a_range_names_what_lies_between_and_a_count_is_no_record() -> None:
    naming = Naming(("adr",))
    assert list(naming.list_mentions("ADRs 3-5, but ADR 9, 3 votes")) == ["3", "4", "5", "9"]
    assert list(naming.list_mentions("ADRs 1-900")) == ["1"]
