"""`GET /v1/quality`: levels and what was done about them, now and at a moment (API.md)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from corrections.quality.governor import govern
from corrections.quality.levels import LEVELS
from corrections.quality.measuring import Figure, note_levels
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from tests.api.conftest import Caller

pytestmark = pytest.mark.django_db


def test_levels_have_their_figures_limits_and_states(api: Caller, tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        note_levels(tenant_id=tenant.id, figures={"staleness_rate": Figure(0.3, 50)}, now=timezone.now())
    govern(tenant_id=tenant.id, figures={"staleness_rate": (0.3, 50)}, now=timezone.now())
    answer = api.get("/v1/quality").json()
    assert [one["name"] for one in answer["indicators"][: len(LEVELS)]] == list(LEVELS)
    assert answer["indicators"][0] == {
        "name": "staleness_rate", "value": 0.3, "n": 50, "window": "7d", "state": "FAIL", "pass": 0.15, "fail": 0.25,
    }  # fmt: skip
    assert [(one["action"], one["reason"]) for one in answer["governor"]] == [("clean_up", "staleness_rate")]
    before = api.get("/v1/quality", at=(timezone.now() - timedelta(days=1)).isoformat()).json()
    assert (before["indicators"][0]["value"], before["governor"]) == (None, [])


@pytest.mark.parametrize("at", ["yesterday", "2026-01-01T00:00:00", ""])
def test_a_moment_that_is_none_is_refused(api: Caller, at: str) -> None:
    assert api.get("/v1/quality", at=at).status_code == 400
