"""Alert rules and the board ask for metrics and labels that the service exposes, in Prometheus' own grammar (Q-1)."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from config.launch.states import ProcessState, write_states
from memory.registries import queue_probes
from tests.promql import parse_expression

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]
BOARD: dict[str, Any] = json.loads((ROOT / "ops/grafana/unde-memory.json").read_text(encoding="utf-8"))
EXPRESSIONS = {
    rule.get("alert") or rule["record"]: rule["expr"]
    for group in yaml.safe_load((ROOT / "ops/prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
} | {
    f"board: {panel['title']} {target['refId']}": target["expr"].replace("$__rate_interval", "5m")
    for panel in BOARD["panels"]
    for target in panel.get("targets", [])
}
GIVEN = {"up": {"job", "instance"}} | {
    f"unde:service_level_burn:{window}": {"indicator"} for window in ("5m", "30m", "1h", "6h")
}
"""Series that Prometheus itself makes, or that a recording rule does."""


@pytest.fixture
def exposed(settings: Any, tmp_path: Path) -> dict[str, set[str]]:
    """Label names by the name of every series on the page of metrics, those that count nothing yet included."""
    settings.UNDE_DATA_DIR = tmp_path
    write_states(tmp_path, {"worker": ProcessState()})
    found: dict[str, set[str]] = {}
    page = Client().get("/metrics").content.decode()
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    for collector, names in REGISTRY._collector_to_names.items():
        for name in names:
            found.setdefault(name, set()).update(getattr(collector, "_labelnames", ()))
    return found


def test_an_expression_is_one_and_its_metrics_and_labels_are_exposed(
    exposed: dict[str, set[str]], subtests: pytest.Subtests
) -> None:
    for name, expression in EXPRESSIONS.items():
        with subtests.test(name=name):
            check_expression(expression, exposed)


def check_expression(expression: str, exposed: dict[str, set[str]]) -> None:
    parts = parse_expression(expression)
    assert parts.labels
    for metric, labels in parts.labels.items():
        known = GIVEN.get(metric) or exposed.get(metric)
        assert known is not None, f"{metric} is not exposed"
        assert labels <= known, f"{metric} has no label {labels - known}"
    queues = {value for metric, label, value in parts.values if (metric, label) == ("unde_queue_pending", "queue")}
    assert queues <= {probe for probe, _ in queue_probes.items()}


@pytest.mark.parametrize(
    "broken",
    ["sum(rate(unde_messages_total))", "rate(unde_messages_total[5m]) > > 1", "sum by (role (unde_messages_total)", ""],
)
def test_what_prometheus_would_refuse_is_refused(broken: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_expression(broken)


def test_panels_have_titles_and_explanations_and_do_not_overlap() -> None:
    panels = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
    assert len({panel["title"] for panel in panels}) == len(panels)
    assert all(panel["description"].endswith(".") for panel in panels)
    covered = [
        (panel["gridPos"]["x"] + dx, panel["gridPos"]["y"] + dy)
        for panel in BOARD["panels"]
        for dx in range(panel["gridPos"]["w"])
        for dy in range(panel["gridPos"]["h"])
    ]
    assert len(covered) == len(set(covered))
    assert max(x for x, _ in covered) < 24
