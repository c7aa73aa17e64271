"""What a person reads who measures the rules before there is a database."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError

import patterns.management.commands.check_patterns as command


def test_a_database_without_tables_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise ProgrammingError("relation does not exist")

    monkeypatch.setattr(command, "refresh_rule_sets", refuse)
    with pytest.raises(CommandError) as said:
        call_command("check_patterns")
    assert "lacks its tables" in str(said.value)
    assert "--pack" in str(said.value)


def test_a_file_that_is_not_there_is_named_without_a_traceback(tmp_path: Path) -> None:
    missing = tmp_path / "labelled.jsonl"
    with pytest.raises(CommandError, match=f"{missing}: No such file"):
        call_command("check_patterns", corpus=[str(missing)], pack="patterns/packs/fashion")
