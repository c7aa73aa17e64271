"""docs/api.md and the code name the same errors."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = ("config/api", "memory", "retrieval", "corrections")
NOT_OF_THE_API = {
    "newer_known",
    "purpose_grows",
    "tenant_exists",
    "rows_left",
    "preview_first",
    "work_goes_on",
    "decision_over",
    "quality_run_taken",
}


def test_every_error_that_a_caller_may_get_is_explained() -> None:
    sources = [path.read_text(encoding="utf-8") for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    raised = {code for source in sources for code in re.findall(r'^    code = "([a-z_]+)"', source, re.MULTILINE)}
    explained = set(re.findall(r"`([a-z_]+)`", (ROOT / "docs/api.md").read_text(encoding="utf-8")))
    assert len(raised) > 30
    assert raised - explained - NOT_OF_THE_API == set()
