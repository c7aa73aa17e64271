"""Prometheus' own checker runs the unit tests of the alert rules, where it is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

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
