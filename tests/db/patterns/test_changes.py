"""The feed of changes: what people did, page by page, beside which packs were loaded."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from patterns.models import EntryVersion, LexiconEntry, Rule, RuleVersion
from patterns.selectors import list_changes, list_pack_loads

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
TENANT = uuid4()


def make_rule(*, tenant: bool = True, pack: str = "") -> Rule:
    return Rule.objects.create(
        tenant_id=TENANT if tenant else None, slug=f"rule-{uuid4()}", knowledge_type="allergy", language="en", pattern="x", pack=pack,
        positive_examples=["x"], negative_examples=["y"],
    )  # fmt: skip


def note(rule: Rule, number: int, *, changed_by: str = "staff:1", at: datetime = NOW) -> RuleVersion:
    return RuleVersion.objects.create(rule=rule, version=number, content={}, changed_by=changed_by, changed_at=at)


def test_versions_of_one_moment_are_all_met_page_by_page() -> None:
    rule = make_rule()
    made = {note(rule, number).id for number in range(1, 6)}
    entry = LexiconEntry.objects.create(tenant_id=TENANT, category="fabric", canonical="felt", language="en")
    made.add(EntryVersion.objects.create(entry=entry, version=1, content={}, changed_by="staff:1", changed_at=NOW).id)
    met, before = [], None
    while page := list_changes(tenant_id=TENANT, before=before, limit=2):
        met += [version.id for version in page]
        before = (page[-1].changed_at, page[-1].id)
    assert sorted(met) == sorted(made)


def test_a_pack_that_is_loaded_is_one_line_and_no_change_of_a_person() -> None:
    for _ in range(3):
        note(make_rule(tenant=False, pack="shoes"), 1, changed_by="shoes")
    mine = note(make_rule(), 1)
    assert [one.id for one in list_changes(tenant_id=TENANT, before=None, limit=10)] == [mine.id]
    assert {"pack": "shoes", "at": NOW, "began": NOW, "rules": 3} in list_pack_loads(limit=50)


def test_another_tenants_changes_are_not_in_the_feed() -> None:
    note(make_rule(), 1)
    assert list_changes(tenant_id=uuid4(), before=None, limit=10) == []
