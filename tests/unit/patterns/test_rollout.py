"""Who is read by what: buckets of users, and sets with a version on trial."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from uuid import UUID, uuid4

from patterns.rollout import get_bucket
from patterns.rule import Rule
from patterns.rules.pack import Pack, compile_packs
from patterns.rules.ruleset import RuleSet
from patterns.rules.selftest import list_failed_examples
from patterns.selectors import add_canaries

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def make_rule(**changes: object) -> Rule:
    values = {
        "slug": "ban-test", "knowledge_type": "hard_ban", "language": "en", "purpose": "guard", "kind": "explicit",
        "pattern": "begone", "positive": ("begone dull care",), "negative": ("hello",),
    }  # fmt: skip
    return Rule(**(values | changes))


def make_set(*rules: Rule) -> RuleSet:
    return compile_packs([Pack("test", rules, ())], version=1)


def count_fired(rule_set: RuleSet, text: str, user_id: UUID | None) -> int:
    result = rule_set.read(text, said_at=NOW, user_id=user_id)
    return len(result.rejections) + len(result.readings)


def test_a_users_bucket_never_changes_and_differs_between_rules() -> None:
    user = UUID(int=7)
    assert get_bucket(slug="a", user_id=user) == get_bucket(slug="a", user_id=user)
    assert len({get_bucket(slug=slug, user_id=user) for slug in "abcdefgh"}) > 1


def test_buckets_share_users_out_evenly() -> None:
    counts = Counter(get_bucket(slug="a", user_id=UUID(int=n)) // 10 for n in range(5000))
    assert min(counts.values()) > 400
    assert max(counts.values()) < 600


def test_a_rule_for_a_share_of_the_users_reads_that_share() -> None:
    rule_set = make_set(make_rule(rollout_percent=20))
    users = [uuid4() for _ in range(400)]
    fired = sum(count_fired(rule_set, "begone dull care", user) for user in users)
    assert fired == sum(get_bucket(slug="ban-test", user_id=user) < 20 for user in users)


def test_of_a_rule_and_its_version_on_trial_exactly_one_reads_each_user() -> None:
    canary = make_rule(version=2, rollout_percent=30, is_canary=True)
    rule_set = make_set(*add_canaries([make_rule()], [canary]))
    assert all(count_fired(rule_set, "begone dull care", uuid4()) == 1 for _ in range(100))
    assert count_fired(rule_set, "begone dull care", None) == 1


def test_both_sides_of_a_trial_must_pass_their_examples() -> None:
    canary = make_rule(version=2, rollout_percent=30, is_canary=True, pattern="be gone")
    rule_set = make_set(*add_canaries([make_rule()], [canary]))
    assert [(failure.rule, failure.is_canary) for failure in list_failed_examples(rule_set)] == [("ban-test", True)]
