"""Memory without its soft ports: all its tests, with knowledge, model and skills replaced by stubs (SPEC B-4)."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.unplugged import REPORT

ROOT = Path(__file__).resolve().parents[2]
MEMORY = (
    "tests/acceptance/test_golden_cases.py",
    "tests/api/test_messages.py",
    "tests/api/test_facts.py",
    "tests/api/test_forgets.py",
    "tests/api/test_search_filters.py",
    "tests/api/test_feedback.py",
    "tests/db/memory",
    "tests/unit/memory",
)
ABOUT_THE_MODEL = (
    "tests/db/memory/extraction",
    "tests/unit/memory/extraction",
    "tests/db/memory/episodes/test_modelling.py",
    "tests/db/memory/projects/test_modelled.py",
    "tests/db/memory/rebuild/test_unproven.py",
)
"""What these tests are of is what a model answers."""
LEAST_TESTS = 800

pytestmark = pytest.mark.slow


def test_memory_stands_without_knowledge_model_and_skills(tmp_path: Path) -> None:
    left_out = [f"--ignore={path}" for path in ABOUT_THE_MODEL]
    found = run_unplugged(*MEMORY, *left_out, data=tmp_path)
    assert found.returncode == 0, found.stdout[-4_000:]
    assert REPORT in found.stdout
    assert int(re.findall(r"(\d+) passed", found.stdout)[-1]) >= LEAST_TESTS


def test_what_needs_a_model_sees_that_there_is_none(tmp_path: Path) -> None:
    name = "tests/api/test_chat.py::test_a_reader_who_never_reads_leaves_a_reply_too"
    found = run_unplugged(name, data=tmp_path)
    assert found.returncode == 1, found.stdout[-4_000:]


def run_unplugged(*paths: str, data: Path) -> subprocess.CompletedProcess[str]:
    """A run of the suite of its own, on servers of its own, with the stubs in place."""
    environment = {**os.environ, "UNDE_TEST_DATA_DIR": str(data / "servers")}
    arguments = ["-p", "tests.plugin.unplugged", "-p", "no:cacheprovider", "--color=no", *paths]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
