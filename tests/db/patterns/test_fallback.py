"""A process whose stored rules cannot be used still reads messages, and says by what."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

import patterns.registry
from config.checks import find_rule_problems, without_rules
from memory.types import TenantRef
from patterns.models import Rule
from patterns.registry import RuleSetRegistry
from patterns.services.versions import raise_rule_set_version
from tests.caller import make_caller
from tests.db.patterns.test_packs import Clock, read_values, wait_until

pytestmark = pytest.mark.django_db

ALLERGY = ("allergy", "nickel")


def break_rules(tenant_id: object = None) -> None:
    """A row whose own example fails, as a hand at the database would leave it."""
    Rule.objects.create(
        slug="wrong-promise",
        tenant_id=tenant_id,
        knowledge_type="hard_ban",
        language="en",
        kind="explicit",
        pattern="begone",
        positive_examples=["begone dull care"],
        negative_examples=["hello"],
    )
    raise_rule_set_version()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> RuleSetRegistry:
    """The registry of a process that has just started."""
    registry = RuleSetRegistry()
    monkeypatch.setattr(patterns.registry, "_registry", registry)
    return registry


def test_a_first_build_that_fails_reads_by_the_shipped_pack_and_says_so(
    small: object, started: RuleSetRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    break_rules()
    assert ALLERGY in read_values(started.get(None), "7asasiya min nickel")
    status = started.get_status()
    assert (status.source, status.refused_rules) == ("files", ("wrong-promise",))
    assert "wrong-promise" in (status.problem or "")
    assert [record.levelname for record in caplog.records if record.name == "patterns.registry"] == [
        "ERROR",
        "CRITICAL",
    ]


def test_with_the_shipped_pack_broken_too_messages_teach_nothing_and_are_stored(
    small: object,
    started: RuleSetRegistry,
    tenant: TenantRef,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(patterns.registry, "SHIPPED", tmp_path)
    break_rules()
    answer = make_caller(tenant).send("I'm allergic to nickel")
    assert answer.status_code in (200, 201)
    assert answer.json()["facts"] == []
    assert started.get_status().source == "nothing"


def test_a_mended_rule_comes_into_force_after_a_fallback(small: object) -> None:
    clock = Clock()
    registry = RuleSetRegistry(clock=clock)
    break_rules()
    registry.get(None)
    Rule.objects.filter(slug="wrong-promise").delete()
    raise_rule_set_version()
    clock.now += 3
    registry.get(None)
    assert wait_until(lambda: registry.get_status().source == "rows")
    assert registry.get_status().problem is None


def test_a_process_that_was_idle_reads_its_first_message_by_the_new_rules(small: object) -> None:
    clock = Clock()
    registry = RuleSetRegistry(clock=clock)
    before = registry.get(None)
    raise_rule_set_version()
    clock.now += 60
    assert registry.get(None).version == before.version + 1


def test_a_tenants_rules_that_fail_leave_the_tenant_the_shared_ones_and_are_named(small: object) -> None:
    tenant_id = uuid4()
    break_rules(tenant_id)
    registry = RuleSetRegistry()
    assert registry.get(tenant_id) is registry.get(None)
    assert registry.get_status(tenant_id).refused_rules == ("wrong-promise",)
    assert registry.get_status().problem is None


def test_a_tenants_set_that_fails_leaves_its_last_good_one_in_force(small: object) -> None:
    tenant_id = uuid4()
    clock = Clock()
    registry = RuleSetRegistry(clock=clock)
    Rule.objects.create(
        slug="own",
        tenant_id=tenant_id,
        knowledge_type="allergy",
        language="en",
        kind=Rule.objects.get(slug="allergy-en-word").kind,
        pattern="i balloon up from",
        positive_examples=["i balloon up from nickel"],
        negative_examples=["hello"],
    )
    raise_rule_set_version()
    assert ALLERGY in read_values(registry.get(tenant_id), "i balloon up from nickel")
    break_rules(tenant_id)
    clock.now += 60
    assert ALLERGY in read_values(registry.get(tenant_id), "i balloon up from nickel")
    assert registry.get_status(tenant_id).refused_rules == ("wrong-promise",)


def test_readiness_says_which_rules_are_in_force_and_stays_ready(
    small: object, started: RuleSetRegistry, client: Client
) -> None:
    break_rules()
    response = client.get("/readyz", {"verbose": "1"})
    assert (response.status_code, response.json()["status"]) == (200, "ready")
    assert "wrong-promise" in response.json()["services"]["rules"]
    assert any(reason.startswith("rules") for reason in response.json()["reasons"])


def test_the_system_check_names_rules_that_fail_but_to_who_migrates_or_starts(small: object, settings: Any) -> None:
    assert find_rule_problems("default") == []
    break_rules()
    (message,) = find_rule_problems("default")
    assert (message.id, "wrong-promise" in message.msg) == ("unde.W020", True)
    with without_rules():
        assert find_rule_problems("default") == []
    assert find_rule_problems("default") == [message]
    settings.UNDE_DB_ROLE = "owner"
    assert find_rule_problems("default") == []
