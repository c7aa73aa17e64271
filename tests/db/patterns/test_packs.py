"""Packs go into rows, come back as rule sets, and leave alone what staff wrote."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from patterns.models import LexiconEntry, Rule, RuleSetVersion, RuleVersion
from patterns.registry import RuleSetRefused, RuleSetRegistry, build_rule_set
from patterns.rule import Rule as RuleText
from patterns.rules.pack import SHIPPED, Pack, PackError, compile_packs, load_pack
from patterns.selectors import find_version, get_stored_pack
from patterns.services.packs import export_pack, import_pack, is_edited
from patterns.services.versions import raise_rule_set_version
from tests.packs import bring_in

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def shipped() -> Pack:
    return load_pack(SHIPPED)


@pytest.fixture
def loaded(shipped: Pack) -> Pack:
    bring_in(shipped)
    return shipped


def make_rule(slug: str = "ban-test", **changes: object) -> RuleText:
    values = {
        "knowledge_type": "hard_ban", "language": "en", "purpose": "extract", "kind": "explicit", "pattern": "begone",
        "positive": ("begone leather",), "negative": ("hello",),
    }  # fmt: skip
    return RuleText(slug=slug, **(values | changes))


def read_values(rule_set, text: str) -> set[tuple[str, str]]:
    return {(r.knowledge_type, r.knowledge_key) for r in rule_set.read(text, said_at=NOW).readings}


def test_the_stored_rows_read_messages_as_the_pack_does(loaded: Pack) -> None:
    stored = compile_packs([get_stored_pack(tenant_id=None)], version=1)
    from_files = compile_packs([loaded], version=1)
    for text in ("кожу не ношу, размер 46", "عندي حساسية من الصوف والنيكل", "mabi farw wala jild", "my budget is 2k"):
        assert read_values(stored, text) == read_values(from_files, text) != set()


def test_loading_the_same_pack_again_changes_nothing(loaded: Pack) -> None:
    version = find_version()
    assert import_pack(loaded).is_empty
    assert find_version() == version


def test_a_rule_that_staff_edited_is_kept_and_named(loaded: Pack) -> None:
    row = Rule.objects.get(slug="ban-en-want", tenant_id=None)
    row.positive_examples = ["I don't want velvet"]
    row.save()
    changed = Pack(loaded.name, loaded.rules[:-1], loaded.entries)
    difference = import_pack(changed)
    assert "ban-en-want" in difference.kept
    row.refresh_from_db()
    assert row.positive_examples == ["I don't want velvet"]
    assert is_edited(row)


def test_a_forced_load_puts_the_packs_wording_back(loaded: Pack) -> None:
    Rule.objects.filter(slug="ban-en-want").update(positive_examples=["I don't want velvet"])
    import_pack(loaded, is_forced=True)
    row = Rule.objects.get(slug="ban-en-want")
    assert not is_edited(row)
    assert RuleVersion.objects.filter(rule=row).count() == row.version


def test_what_the_pack_no_longer_has_is_switched_off(loaded: Pack) -> None:
    fewer = Pack(loaded.name, loaded.rules[1:], loaded.entries[1:])
    difference = import_pack(fewer)
    assert loaded.rules[0].slug in difference.switched_off
    assert not Rule.objects.get(slug=loaded.rules[0].slug).is_active


def test_a_pack_with_a_faulty_rule_is_refused_whole() -> None:
    before = Rule.objects.count()
    with pytest.raises(PackError, match="does not compile"):
        import_pack(Pack("broken", (make_rule("good"), make_rule("bad", pattern="(never")), ()))
    assert Rule.objects.count() == before


def test_a_shared_slug_stands_once(loaded: Pack) -> None:
    slug = loaded.rules[0].slug
    with pytest.raises(IntegrityError, match="patterns_shared_rule_has_its_slug_alone"), transaction.atomic():
        Rule.objects.create(slug=slug, pattern="x", positive_examples=["a"], negative_examples=["b"])


def test_a_rule_without_examples_is_refused_by_the_database() -> None:
    with pytest.raises(IntegrityError, match="patterns_rule_has_examples_of_both_kinds"), transaction.atomic():
        Rule.objects.create(slug="no-examples", pattern="x")


def test_a_rule_fires_by_a_pattern_or_by_a_category_and_not_by_both() -> None:
    with pytest.raises(IntegrityError, match="patterns_rule_fires_by_pattern_or_by_category"), transaction.atomic():
        Rule.objects.create(
            slug="both", pattern="x", category="event", positive_examples=["a"], negative_examples=["b"]
        )


def test_there_is_one_version_row() -> None:
    raise_rule_set_version()
    with pytest.raises(IntegrityError, match="patterns_there_is_one_version_row"), transaction.atomic():
        RuleSetVersion.objects.create(id=2)


def test_an_exported_pack_loads_back(loaded: Pack, tmp_path) -> None:
    export_pack(folder=tmp_path / "copy")
    copy = load_pack(tmp_path / "copy")
    assert {rule.slug for rule in copy.rules} == {rule.slug for rule in loaded.rules}
    rule_set = build_rule_set(copy, version=1)
    assert ("hard_ban", "leather") in read_values(rule_set, "кожу не ношу")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def wait_until(condition, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_a_running_process_picks_up_a_new_word_without_a_restart(loaded: Pack) -> None:
    clock = Clock()
    registry = RuleSetRegistry(clock=clock)
    assert read_values(registry.get(None), "never show me gorpcore") == set()
    LexiconEntry.objects.create(category="pattern", canonical="gorpcore", language="en", aliases=["gorpcore"])
    raise_rule_set_version()
    clock.now += 3
    registry.get(None)
    assert wait_until(lambda: read_values(registry.get(None), "never show me gorpcore") == {("hard_ban", "gorpcore")})


def test_a_version_that_fails_its_own_examples_never_comes_into_force(loaded: Pack) -> None:
    clock = Clock()
    registry = RuleSetRegistry(clock=clock)
    old = registry.get(None)
    Rule.objects.create(
        slug="wrong-promise", knowledge_type="hard_ban", language="en", kind="explicit", pattern="begone",
        positive_examples=["begone dull care"], negative_examples=["hello"],
    )  # fmt: skip
    raise_rule_set_version()
    clock.now += 3
    registry.get(None)
    assert wait_until(lambda: registry._refused_version is not None)
    assert registry.get(None) is old
    with pytest.raises(RuleSetRefused, match="wrong-promise"):
        registry.refresh()


def test_a_tenant_without_rows_shares_the_set_and_one_with_rows_has_its_own(loaded: Pack) -> None:
    tenant, other = uuid4(), uuid4()
    LexiconEntry.objects.create(
        category="pattern", canonical="gorpcore", language="en", aliases=["gorpcore"], tenant_id=tenant
    )
    registry = RuleSetRegistry()
    assert registry.get(other) is registry.get(None)
    assert read_values(registry.get(tenant), "never show me gorpcore") == {("hard_ban", "gorpcore")}
    assert read_values(registry.get(other), "never show me gorpcore") == set()


def test_the_commands_load_measure_and_raise(capsys) -> None:
    call_command("load_packs", force=True)
    call_command("load_packs")
    assert "up to date" in capsys.readouterr().out
    call_command("raise_rules_version")
    assert "rule set version" in capsys.readouterr().out
    call_command("check_patterns", mistakes=0)
    assert "0 examples fail" in capsys.readouterr().out
