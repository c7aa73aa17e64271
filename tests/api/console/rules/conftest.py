"""A small set of rules, an editor of the tenant, the installation's staff, and a way through to publishing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.backtests.running import run_backtest
from corrections.models import Backtest
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from patterns.models import EntryVersion, Rule, RuleVersion
from patterns.registry import RuleSetRegistry, refresh_rule_sets
from patterns.rules.pack import Pack
from tests.api.console.conftest import make_staff
from tests.db.patterns.conftest import load_small, own_registry
from tests.packs import bring_in

__all__ = ["own_registry"]

SLUG = "allergy-en-balloon"


@pytest.fixture(autouse=True)
def shipped(db: None, own_registry: RuleSetRegistry) -> Pack:
    bring_in(load_small())
    refresh_rule_sets()
    return load_small()


@pytest.fixture
def editor(log_in: Callable[[Role], Client]) -> Client:
    return log_in(Role.PATTERN_EDITOR)


@pytest.fixture
def root(client: Client, tenant: TenantRef) -> Client:
    client.force_login(make_staff("root", is_superuser=True))
    client.post(reverse("console:switch_tenant"), {"tenant": str(tenant.id)})
    return client


def make_fields(**changed: Any) -> dict[str, Any]:
    """A rule that can be kept, with some of its fields changed."""
    fields = {
        "slug": SLUG,
        "knowledge_type": "allergy",
        "language": "en",
        "purpose": "extract",
        "kind": "",
        "pattern": "i balloon up from",
        "category": "",
        "object_side": "after",
        "positive": "i balloon up from nickel\ni balloon up from wool",
        "negative": "my sister balloons up from nickel\nwhat a balloon",
        "note": "heard in chats",
        "scope": "own",
    }
    shipped = Rule.objects.filter(slug="allergy-en-word", tenant_id=None).values("kind", "object_side").get()
    return fields | shipped | changed


def find_draft(slug: str = SLUG) -> RuleVersion:
    return RuleVersion.objects.get(rule__slug=slug, state="draft")


def backtest(browser: Client, version: RuleVersion | EntryVersion, tenant: TenantRef) -> Backtest:
    """Press the button and do the worker's part."""
    kind = "rule" if isinstance(version, RuleVersion) else "entry"
    browser.post(reverse("console:start_backtest", args=[kind, version.id]), {"messages": "1000"})
    with tenant_scope(tenant.id):
        row = Backtest.objects.filter(version_id=version.id).latest("created_at")
    run_backtest(tenant_id=tenant.id, backtest_id=row.id, clock=timezone.now)
    with tenant_scope(tenant.id):
        row.refresh_from_db()
    return row


def publish(browser: Client, version: RuleVersion | EntryVersion, tenant: TenantRef) -> Any:
    """The whole way from a draft to everybody."""
    backtest(browser, version, tenant)
    kind = "rule" if isinstance(version, RuleVersion) else "entry"
    return browser.post(reverse("console:publish_version", args=[kind, version.id]))
