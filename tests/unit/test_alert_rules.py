"""Prometheus' own checker runs the unit tests of the alert rules, where it is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (Debian: package prometheus)")


@needs_promtool
@pytest.mark.parametrize(
    "command", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")], ids=["rules", "their tests"]
)
def test_prometheus_accepts_the_rules_and_they_fire_at_their_thresholds(command: tuple[str, ...]) -> None:
    assert PROMTOOL is not None
    done = subprocess.run(
        [PROMTOOL, *command], cwd=ROOT / "ops/prometheus", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_of_the_ksp_document_and_of_quality_has_a_unit_test() -> None:
    listed = yaml.safe_load((ROOT / "tests/data/monitoring/ksp.yml").read_text(encoding="utf-8"))["alerts"]
    written = yaml.safe_load((ROOT / "ops/prometheus/alerts_test.yml").read_text(encoding="utf-8"))["tests"]
    fires = {one["alertname"] for test in written for one in test["alert_rule_test"] if one["exp_alerts"]}
    own = {"UndeBudgetBurnsFast", "UndeBudgetBurns", "UndeServiceLevelFails", "UndeGovernorActs"}
    assert {*listed, *own} <= fires
