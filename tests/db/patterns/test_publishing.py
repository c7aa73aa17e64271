"""From draft to trial to everybody, and the ways back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from patterns.errors import RuleRefused
from patterns.matching.lexicon import Entry
from patterns.models import LexiconEntry, Rule, RuleVersion
from patterns.rollout import get_bucket
from patterns.rules.pack import Pack, compile_packs
from patterns.rules.ruleset import RuleSet
from patterns.selectors import find_version, get_stored_pack
from patterns.services.history import (
    quarantine_entry,
    quarantine_rule,
    restore_entry_version,
    restore_rule_version,
)
from patterns.services.packs import import_pack
from patterns.services.publishing import (
    discard_version,
    publish_entry_version,
    publish_rule_version,
    save_entry_draft,
    save_rule_draft,
    start_canary,
)
from patterns.services.trials import list_new_failures, replace_rule
from tests.db.patterns.conftest import load_small, make_balloon_rule

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
TENANT = uuid4()
BALLOON = "i balloon up from nickel"


def get_set(tenant_id: UUID | None = TENANT) -> RuleSet:
    return compile_packs([get_stored_pack(tenant_id=tenant_id)], version=1)


def list_rules_that_read(text: str, *, tenant_id: UUID | None = TENANT, user_id: UUID | None = None) -> list[str]:
    readings = get_set(tenant_id).read(text, said_at=NOW, user_id=user_id).readings
    return [f"{reading.rule} v{reading.rule_version}" for reading in readings]


def draft(tenant_id: UUID | None = TENANT, **changes: object) -> RuleVersion:
    return save_rule_draft(make_balloon_rule(**changes), tenant_id=tenant_id, changed_by="staff:1")


def find_user(slug: str, *, below: int, is_below: bool = True) -> UUID:
    return next(u for u in (uuid4() for _ in range(2000)) if (get_bucket(slug=slug, user_id=u) < below) == is_below)


def test_a_draft_reads_nobody() -> None:
    before = find_version()
    kept = draft()
    assert (kept.state, kept.version) == ("draft", 1)
    assert list_rules_that_read(BALLOON) == []
    assert find_version() == before


def test_a_draft_of_a_rule_in_force_leaves_it_in_force() -> None:
    publish_rule_version(draft())
    kept = draft(
        pattern="i always balloon up from",
        positive=("i always balloon up from wool", "i always balloon up from nickel"),
    )
    assert kept.version == 2
    assert list_rules_that_read(BALLOON) == ["allergy-en-balloon v1"]


def test_a_second_draft_takes_the_place_of_the_first_and_both_are_versions() -> None:
    first, second = draft(), draft(pattern="i (?:do )?balloon up from")
    first.refresh_from_db()
    assert (first.state, second.state, second.version) == ("discarded", "draft", 2)


def test_a_published_draft_reads_the_users_of_its_tenant_alone() -> None:
    row = publish_rule_version(draft())
    assert (row.state, row.version, row.is_active) == ("published", 1, True)
    assert list_rules_that_read(BALLOON) == ["allergy-en-balloon v1"]
    assert list_rules_that_read(BALLOON, tenant_id=uuid4()) == []
    assert list_rules_that_read(BALLOON, tenant_id=None) == []


def test_a_trial_reads_its_share_of_the_users_and_the_others_keep_the_version_in_force() -> None:
    publish_rule_version(draft())
    start_canary(draft(pattern="i (?:do )?balloon up from"), percent=30)
    inside = find_user("allergy-en-balloon", below=30)
    outside = find_user("allergy-en-balloon", below=30, is_below=False)
    assert list_rules_that_read(BALLOON, user_id=inside) == ["allergy-en-balloon v2"]
    assert list_rules_that_read(BALLOON, user_id=outside) == ["allergy-en-balloon v1"]
    assert list_rules_that_read(BALLOON) == ["allergy-en-balloon v1"]


def test_a_new_rule_on_trial_reads_nobody_outside_its_share() -> None:
    start_canary(draft(), percent=10)
    inside = find_user("allergy-en-balloon", below=10)
    outside = find_user("allergy-en-balloon", below=10, is_below=False)
    assert list_rules_that_read(BALLOON, user_id=inside) == ["allergy-en-balloon v1"]
    assert list_rules_that_read(BALLOON, user_id=outside) == []


def test_a_tenants_trial_of_a_shared_rule_leaves_the_shared_one_to_the_others() -> None:
    shared = next(rule for rule in load_small().rules if rule.slug == "allergy-en-word")
    wider = save_rule_draft(shared, tenant_id=TENANT, changed_by="staff:1")
    start_canary(wider, percent=50)
    inside = find_user("allergy-en-word", below=50)
    outside = find_user("allergy-en-word", below=50, is_below=False)
    text = "i'm allergic to nickel"
    assert list_rules_that_read(text, user_id=inside) == [f"allergy-en-word v{wider.version}"]
    assert list_rules_that_read(text, user_id=outside) == ["allergy-en-word v1"]
    assert Rule.objects.get(slug="allergy-en-word", tenant_id=TENANT).state == "draft"


def test_growing_a_trial_keeps_the_users_who_are_in_it() -> None:
    kept = start_canary(draft(), percent=10)
    inside = find_user("allergy-en-balloon", below=10)
    start_canary(kept, percent=60)
    assert list_rules_that_read(BALLOON, user_id=inside) == ["allergy-en-balloon v1"]


def test_a_trial_given_up_reads_nobody_any_more() -> None:
    kept = start_canary(draft(), percent=100)
    discard_version(kept)
    assert list_rules_that_read(BALLOON, user_id=uuid4()) == []


def test_a_trial_that_is_published_reads_everybody() -> None:
    publish_rule_version(start_canary(draft(), percent=5))
    assert list_rules_that_read(BALLOON) == ["allergy-en-balloon v1"]


def test_a_closed_version_cannot_be_published() -> None:
    kept = draft()
    discard_version(kept)
    with pytest.raises(RuleRefused, match="1 problems"):
        publish_rule_version(kept)


def test_rolling_back_is_a_new_version_with_the_old_content_and_ends_a_trial() -> None:
    row = publish_rule_version(draft())
    publish_rule_version(draft(pattern="i (?:do )?balloon up from"))
    start_canary(draft(pattern="i (?:really )?balloon up from"), percent=50)
    row = restore_rule_version(rule=row, version=1, changed_by="staff:1")
    assert (row.version, row.pattern) == (4, "i balloon up from")
    assert {kept.state for kept in row.versions.all()} == {"published", "discarded"}
    assert list_rules_that_read(BALLOON, user_id=uuid4()) == ["allergy-en-balloon v4"]


def test_quarantine_switches_a_tenants_rule_off_at_once_with_its_reason() -> None:
    publish_rule_version(draft())
    before = find_version()
    row = quarantine_rule(slug="allergy-en-balloon", tenant_id=TENANT, reason="reads balloons", changed_by="staff:1")
    assert (row.state, row.is_active, row.quarantine_reason) == ("quarantined", False, "reads balloons")
    assert list_rules_that_read(BALLOON) == []
    assert find_version() != before


def test_a_shared_rule_in_quarantine_for_one_tenant_reads_the_others() -> None:
    text = "i'm allergic to nickel"
    quarantine_rule(slug="allergy-en-word", tenant_id=TENANT, reason="too wide", changed_by="staff:1")
    assert list_rules_that_read(text) == []
    assert list_rules_that_read(text, tenant_id=None) == ["allergy-en-word v1"]


def test_out_of_quarantine_by_putting_a_version_back() -> None:
    publish_rule_version(draft())
    row = quarantine_rule(slug="allergy-en-balloon", tenant_id=TENANT, reason="doubt", changed_by="staff:1")
    row = restore_rule_version(rule=row, version=1, changed_by="staff:1")
    assert (row.state, row.quarantine_reason) == ("published", "")
    assert list_rules_that_read(BALLOON) == ["allergy-en-balloon v3"]


def test_a_pack_does_not_switch_on_what_staff_put_in_quarantine() -> None:
    quarantine_rule(slug="allergy-en-word", tenant_id=None, reason="doubt", changed_by="staff:1")
    changed = Pack("small", load_small().rules[:2], load_small().entries, {})
    difference = import_pack(changed)
    assert "allergy-en-word" in difference.kept
    assert Rule.objects.get(slug="allergy-en-word", tenant_id=None).state == "quarantined"


def test_a_pack_that_changes_a_rule_with_a_draft_takes_the_next_number() -> None:
    shared = next(rule for rule in load_small().rules if rule.slug == "allergy-en-word")
    kept = save_rule_draft(shared, tenant_id=None, changed_by="staff:1")
    wider = replace(shared, pattern=f"{shared.pattern}|i swell up from")
    import_pack(Pack("small", (wider, *load_small().rules[1:]), load_small().entries, {}), is_forced=True)
    row = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
    assert row.version > kept.version
    published = publish_rule_version(kept)
    assert published.version > row.version


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"positive": ("i balloon up from nickel",)}, "at least two different messages"),
        ({"pattern": r"i balloon up from\b"}, "for any letter write"),
        ({"pattern": "i balloon up from(?! nickel)"}, "write a second rule of purpose guard"),
        ({"pattern": r"i balloon up from\Z"}, "leave out the marks"),
        ({"pattern": "(?:i balloon up from)?"}, "it matches an empty text"),
        ({"pattern": r"[\pL]{3}"}, "a word of at least two letters"),
        ({"negative": ("i balloon up from wool", "hello")}, "must not match but does"),
        ({"positive": ("i like nickel", "i like wool")}, "must match but does not"),
    ],
)
def test_a_draft_is_refused_in_words(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(RuleRefused) as refused:
        draft(**changes)
    assert any(reason in problem for problem in refused.value.problems)
    assert not RuleVersion.objects.filter(rule__slug="allergy-en-balloon").exists()


def test_words_that_break_a_golden_case_are_refused_with_its_text() -> None:
    hiding = Entry("decoy", "trap", "en", ("7asasiya min nickel",))
    with pytest.raises(RuleRefused) as refused:
        save_entry_draft(hiding, is_active=True, tenant_id=None, changed_by="staff:1")
    assert any("K19" in problem and "7asasiya min nickel" in problem for problem in refused.value.problems)
    assert not LexiconEntry.objects.filter(canonical="trap").exists()


def test_a_pattern_that_takes_too_long_is_refused_with_its_time() -> None:
    rule = make_balloon_rule(pattern=r"(?P<value>(?:[\pL]{0,12} ){0,12})(?:balloon|stair) (?P<unit>[\pL]{1,12}) from")
    long = "the early rain starts on another stair and lasts until later in the season " * 26
    with pytest.raises(RuleRefused) as refused:
        save_rule_draft(rule, tenant_id=TENANT, changed_by="staff:1", messages=[long] * 200)
    assert any("µs per message" in problem for problem in refused.value.problems)


def test_words_go_by_draft_and_back_by_version() -> None:
    words = Entry("irritant", "zamak", "en", ("zamak", "zamac"))
    kept = save_entry_draft(words, is_active=True, tenant_id=TENANT, changed_by="staff:1")
    text = "i'm allergic to zamak"
    assert list_rules_that_read(text) == []
    row = publish_entry_version(kept)
    assert list_rules_that_read(text) == ["allergy-en-word v1"]
    assert list_rules_that_read(text, tenant_id=None) == []
    fewer = Entry("irritant", "zamak", "en", ("zamac",))
    publish_entry_version(save_entry_draft(fewer, is_active=True, tenant_id=TENANT, changed_by="staff:1"))
    assert list_rules_that_read(text) == []
    row = restore_entry_version(entry=row, version=1, changed_by="staff:1")
    assert (row.version, row.aliases) == (3, ["zamak", "zamac"])
    assert list_rules_that_read(text) == ["allergy-en-word v1"]


def test_words_of_a_pack_have_their_first_version_when_somebody_changes_them() -> None:
    row = LexiconEntry.objects.get(category="irritant", canonical="nickel", language="en", tenant_id=None)
    more = Entry("irritant", "nickel", "en", (*row.aliases, "nikkel"))
    kept = save_entry_draft(more, is_active=True, tenant_id=None, changed_by="staff:1")
    assert kept.version == 2
    assert row.versions.get(version=1).content["aliases"] == row.aliases


def test_quarantined_words_are_off_for_the_tenant_that_asked() -> None:
    words = Entry("irritant", "zamak", "en", ("zamak",))
    row = publish_entry_version(save_entry_draft(words, is_active=True, tenant_id=None, changed_by="staff:1"))
    quarantine_entry(entry=row, tenant_id=TENANT, reason="doubt", changed_by="staff:1")
    text = "i'm allergic to zamak"
    assert list_rules_that_read(text) == []
    assert list_rules_that_read(text, tenant_id=None) == ["allergy-en-word v1"]


def test_a_rule_is_kept_in_the_spelling_that_messages_have_when_rules_see_them() -> None:
    rule = make_balloon_rule(pattern="I Balloon up from|से एलर्जी है")
    draft = save_rule_draft(rule, tenant_id=TENANT, changed_by="staff:1")
    assert publish_rule_version(draft).pattern == "i balloon up from|से एलर्जी है"


def test_a_rule_that_makes_facts_of_what_others_must_leave_alone_is_refused(small: Pack) -> None:
    quiet = make_balloon_rule(slug="quiet", negative=("wool is itchy", "what a balloon"))
    before = replace_rule(small, quiet)
    wide = make_balloon_rule(slug="wide", pattern="(?:the|with|my|is|to|in)", object_side="both")
    problems = list_new_failures(before, replace_rule(before, wide), is_asked=lambda found: found.rule == "wide")
    assert (
        problems[-1] == "“wool is itchy”, an example of quiet, states nothing, but allergy “wool” would be read from it"
    )
    assert (
        list_new_failures(before, replace_rule(before, wide), is_asked=lambda found: found.rule == "quiet")
        == (problems[:-1])
    )


def test_the_same_rules_with_other_words_are_tried_anew_and_with_the_same_words_come_out_the_same() -> None:
    stored = get_stored_pack(tenant_id=None)
    bare = replace(stored, entries=())
    assert list_new_failures(stored, stored) == []
    problems = list_new_failures(stored, bare)
    assert any("must match but does not" in problem for problem in problems)
    assert list_new_failures(stored, bare) == problems
    assert list_new_failures(bare, stored) == []
