"""Alert rules name pages that explain them; the pages explain no alert that is not there.

That the rules ask for metrics that exist: tests/db/config/test_metric_names.py.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((ROOT / "ops/prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
    if "alert" in rule
]
PAGE = (ROOT / "docs" / "alerts.md").read_text(encoding="utf-8")
NAMES = [rule["alert"] for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_a_rule_says_how_bad_it_is_and_where_to_read_on(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"].endswith(".") or rule["annotations"]["summary"][-1] in "?)"
    assert rule["annotations"]["runbook"] == f"docs/alerts.md#{rule['alert'].lower()}"


def test_every_alert_has_its_heading_and_every_heading_its_alert() -> None:
    assert sorted(re.findall(r"^### (Unde\w+)$", PAGE, re.MULTILINE)) == sorted(NAMES)
