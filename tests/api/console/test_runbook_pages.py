"""Each page of the console that a runbook names opens for the operator who follows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from patterns.models import Rule

pytestmark = pytest.mark.django_db

ALERTS = (Path(__file__).resolve().parents[3] / "docs" / "alerts.md").read_text(encoding="utf-8")
NAMED = {
    "Receipts in the console": "admin:retrieval_retrievalreceipt_changelist",
    "under Schedules": "admin:django_celery_beat_periodictask_changelist",
    "Extraction in the console": "console:extraction",
    "Settings raises": "console:settings",
    "Review metrics in the console": "console:review_numbers",
    "Review items": "console:review_items",
    "Correction rates in the console": "console:correction_rates",
    "Rule changes and Audit trail show": "console:rule_changes",
    "Audit trail show": "admin:tenants_auditevent_changelist",
    "Refusals in the console": "console:refusals",
    "Erasures in the console": "admin:memory_erasurerequest_changelist",
    "the rule console": "admin:patterns_rule_changelist",
}


@pytest.mark.parametrize("words", NAMED)
def test_a_page_that_a_runbook_names_opens_for_the_operator(operator: Client, words: str) -> None:
    assert words in " ".join(ALERTS.split())
    assert operator.get(reverse(NAMED[words])).status_code == 200


def test_a_rules_page_shows_an_operator_its_figures_and_no_form(operator: Client) -> None:
    rule = Rule.objects.create(
        slug="seen", knowledge_type="allergy", language="ar", kind="noun", pattern="عندي حساسيه|فيني حساسيه",
        positive_examples=["x"], negative_examples=["y"],
    )  # fmt: skip
    url = reverse("console:edit_rule", args=[rule.id])
    page = operator.get(url).content.decode()
    assert "Metrics" in page
    assert '<li><code dir="auto">فيني حساسيه</code></li>' in page
    for button in ("Save draft", "Quarantine</button>", "Close these facts"):
        assert button not in page
    assert operator.post(url, {"slug": "seen"}).status_code == 403
    assert operator.post(reverse("console:quarantine", args=["rule", rule.id]), {"reason": "x"}).status_code == 403
