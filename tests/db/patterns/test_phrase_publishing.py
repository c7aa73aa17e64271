"""Phrases of replies go the way of rules: draft, trial, everybody, back; and as files to another database and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from corrections.recognition.detector import read_reply
from patterns.errors import RuleRefused
from patterns.matching.lexicon import Entry
from patterns.models import EntryVersion, LexiconEntry
from patterns.rollout import get_bucket
from patterns.rules.pack import SHIPPED, compile_packs, load_pack
from patterns.selectors import get_stored_pack, list_tenants_with_rows
from patterns.services.bundles import compare_pack, read_zip, write_zip
from patterns.services.history import quarantine_entry, quarantine_rule, restore_entry_version
from patterns.services.packs import export_pack, import_pack
from patterns.services.publishing import publish_entry_version, save_entry_draft, start_canary

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]

TENANT = uuid4()
GROUP = ("reply.challenge", "unsaid", "en")
PHRASE = "a bolt from the blue"


def draft(*, tenant_id: UUID | None = TENANT, phrases: tuple[str, ...] | None = None) -> EntryVersion:
    row = LexiconEntry.objects.get(category=GROUP[0], canonical=GROUP[1], language=GROUP[2], tenant_id=None)
    words = (*row.aliases, "(thats|) a bolt from the blue") if phrases is None else phrases
    return save_entry_draft(Entry(*GROUP, words), is_active=True, tenant_id=tenant_id, changed_by="staff:1")


def is_challenge(*, user_id: UUID | None = None, tenant_id: UUID | None = TENANT) -> bool:
    rule_set = compile_packs([get_stored_pack(tenant_id=tenant_id)], version=1)
    return read_reply(f"{PHRASE}, really", rule_set=rule_set, user_id=user_id).has("challenge", "unsaid")


def find_user(*, is_tried: bool, percent: int = 20) -> UUID:
    name = "/".join(GROUP)
    return next(u for u in (uuid4() for _ in range(999)) if (get_bucket(slug=name, user_id=u) < percent) == is_tried)


def test_phrases_are_read_by_nobody_then_by_a_share_then_by_all_of_the_tenant() -> None:
    kept = draft()
    tried, others = find_user(is_tried=True), find_user(is_tried=False)
    assert not is_challenge(user_id=tried)
    start_canary(kept, percent=20)
    assert [is_challenge(user_id=one) for one in (tried, others, None)] == [True, False, False]
    assert list_tenants_with_rows() == {TENANT}
    row = publish_entry_version(EntryVersion.objects.get(id=kept.id))
    assert [is_challenge(user_id=one) for one in (tried, others, None)] == [True, True, True]
    assert not is_challenge(tenant_id=None)
    assert (row.tenant_id, row.state) == (TENANT, "published")


def test_published_phrases_are_put_back_in_one_step() -> None:
    row = publish_entry_version(draft(tenant_id=None))
    assert is_challenge(tenant_id=None)
    restore_entry_version(entry=row, version=1, changed_by="staff:1")
    assert not is_challenge(tenant_id=None)


def test_words_can_not_be_on_trial() -> None:
    words = Entry("irritant", "zamak", "en", ("zamak",))
    kept = save_entry_draft(words, is_active=True, tenant_id=TENANT, changed_by="staff:1")
    with pytest.raises(RuleRefused) as refused:
        start_canary(kept, percent=10)
    assert "shared by all rules" in refused.value.problems[0]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (Entry(*GROUP, ("who (told",)), "brackets must close"),
        (Entry(*GROUP, ("(well|)",)), "says nothing"),
        (Entry("reply.chalenge", "unsaid", "en", ("a bolt",)), "there is no group “chalenge, unsaid”"),
        (Entry(*GROUP, ("a bolt",), ("newses",)), "no inflected forms"),
        (Entry(*GROUP, ("well, well",)), "one word or phrase per line"),
        (Entry("reply.denial", "plain", "en", ("negative",)), "golden reply C1-en"),
    ],
)
def test_phrases_are_refused_in_words(entry: Entry, reason: str) -> None:
    with pytest.raises(RuleRefused) as refused:
        save_entry_draft(entry, is_active=True, tenant_id=TENANT, changed_by="staff:1")
    assert any(reason in problem for problem in refused.value.problems)
    assert not LexiconEntry.objects.filter(tenant_id=TENANT).exists()


def test_what_was_edited_goes_out_as_files_and_comes_back_the_same(tmp_path: Path) -> None:
    publish_entry_version(draft(tenant_id=None))
    before = get_stored_pack(tenant_id=None)
    pack = read_zip(write_zip(name="shared"))
    assert compare_pack(pack, tenant_id=None) == []
    import_pack(replace(pack, name="back"), is_forced=True)
    after = get_stored_pack(tenant_id=None)
    assert sorted(map(repr, after.entries)) == sorted(map(repr, before.entries))
    assert {(rule.slug, rule.pattern) for rule in after.rules} == {(rule.slug, rule.pattern) for rule in before.rules}
    export_pack(folder=tmp_path / "again")
    assert compare_pack(load_pack(tmp_path / "again"), tenant_id=None) == []
    assert (tmp_path / "again" / "corrections" / "phrases.yaml").exists()


def test_the_difference_to_the_shipped_files_names_the_edited_phrases() -> None:
    publish_entry_version(draft(tenant_id=None))
    differing = {row.name: row for row in compare_pack(load_pack(SHIPPED), tenant_id=None) if row.where == "both"}
    assert list(differing) == ["/".join(GROUP)]
    assert any(
        "bolt from the blue" in line.text for field in differing["/".join(GROUP)].differences for line in field.lines
    )


def test_what_other_rules_need_is_not_switched_off_unheard() -> None:
    wool = LexiconEntry.objects.get(category="fabric", canonical="wool", language="en", tenant_id=None)
    with pytest.raises(RuleRefused) as refused:
        quarantine_entry(entry=wool, tenant_id=None, reason="a test", changed_by="staff:1")
    assert "examples of other rules need it: allergy-en-word" in refused.value.problems[0]
    wool.refresh_from_db()
    assert wool.is_active
    quarantine_rule(slug="ban-en-order", tenant_id=None, reason="a test", changed_by="staff:1")
