"""The monitoring of the KSP document is exported whole from the first scrape on, and its alerts are rules (Q-1, D-59)."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from tests.promql import parse_expression

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]
LISTED: dict[str, Any] = yaml.safe_load((ROOT / "tests/data/monitoring/ksp.yml").read_text(encoding="utf-8"))
RULES = {
    rule["alert"]: rule
    for group in yaml.safe_load((ROOT / "ops/prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
    if "alert" in rule
}


@pytest.fixture(scope="module")
def page(django_db_setup: None, django_db_blocker: Any) -> list[Any]:
    """Every sample of the page of metrics."""
    with django_db_blocker.unblock():
        text = Client().get("/metrics").content.decode()
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


@pytest.mark.parametrize("name", LISTED["metrics"])
def test_a_metric_of_the_document_is_there_with_its_labels_before_anything_happened(name: str, page: list[Any]) -> None:
    labels = LISTED["metrics"][name]
    found = [sample.labels for sample in page if sample.name == name]
    assert found, f"{name} is not exported"
    for values in product(*labels.values()):
        wanted = dict(zip(labels, values, strict=True))
        assert any(wanted.items() <= sample.items() for sample in found), f"{name}{wanted} is not exported"


@pytest.mark.parametrize("name", LISTED["alerts"])
def test_an_alert_of_the_document_asks_for_its_metric_with_its_threshold(name: str) -> None:
    listed, rule = LISTED["alerts"][name], RULES[name]
    assert listed["metric"] in parse_expression(rule["expr"]).labels
    assert listed["threshold"] in rule["expr"]


def test_no_label_of_a_metric_is_an_id_or_a_text_of_a_user(page: list[Any]) -> None:
    names = {label for sample in page for label in sample.labels}
    assert not {"user", "user_id", "message_id", "fact_id", "tenant_id", "conversation_id"} & names
