"""A deadline file or a journal that would fail when it is needed stops the start."""

from pathlib import Path
from typing import Any

import pytest

from memory.erasure.checks import check_journal_folder, check_legal_profiles

GOOD = 'days = 3\ncount = "calendar"\nweekend = []\nholidays = []\nwarning_left = 0.5\ncritical_left = 0.1\n'


def test_the_shipped_profiles_and_folders_are_fine() -> None:
    assert check_legal_profiles(None) == []
    assert check_journal_folder(None) == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (f"[default]\n{GOOD}", []),
        (f"[other]\n{GOOD}", ["unde.E031"]),
        ("[default]\ndays = 3\n", ["unde.E030"]),
        (None, ["unde.E030"]),
    ],
)
def test_a_file_of_profiles_must_be_readable_and_have_a_default(
    settings: Any, tmp_path: Path, text: str | None, ids: list[str]
) -> None:
    path = tmp_path / "profiles.toml"
    if text is not None:
        path.write_text(text)
    settings.UNDE_LEGAL_PROFILES = str(path)
    assert [message.id for message in check_legal_profiles(None)] == ids


def test_a_journal_inside_the_cluster_is_refused(settings: Any) -> None:
    settings.UNDE_TOMBSTONE_DIR = Path(settings.UNDE_DATA_DIR) / "pg" / "tombstones"
    assert [message.id for message in check_journal_folder(None)] == ["unde.E032"]
