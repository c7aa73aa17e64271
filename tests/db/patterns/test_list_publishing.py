"""Lists of grammar as rows: a tenant's own words, lists that nothing asks for any more, lists that no row has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from config.checks import find_rule_problems
from memory.types import TenantRef
from patterns.errors import RuleRefused
from patterns.grammar.grammar import list_grammar
from patterns.grammar.kinds import WORDS
from patterns.matching.lexicon import Entry
from patterns.models import LexiconEntry
from patterns.registry import RuleSetRegistry, get_rule_set_status, refresh_rule_sets
from patterns.rules.pack import Pack, PackError, compile_packs, load_pack
from patterns.selectors import get_stored_pack, list_absent_lists, read_entry_row
from patterns.services.history import quarantine_entry, restore_entry_version
from patterns.services.packs import digest_entry, export_pack, import_pack
from patterns.services.publishing import publish_entry_version, save_entry_draft
from patterns.services.versions import raise_rule_set_version
from tests.caller import make_caller
from tests.db.patterns.test_packs import read_values

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]

NAME = {"category": WORDS, "canonical": "nobody", "language": "en"}
TOLD = "no1 told me, i'm allergic to nickel"


def get_row(tenant_id: UUID | None = None) -> LexiconEntry:
    return LexiconEntry.objects.get(**NAME, tenant_id=tenant_id)


def add_word(word: str, *, tenant_id: UUID | None) -> LexiconEntry:
    """A word more than the shared list has, published."""
    entry = Entry(**NAME, aliases=(*get_row().aliases, word))
    return publish_entry_version(save_entry_draft(entry, is_active=True, tenant_id=tenant_id, changed_by="staff:1"))


def list_facts(tenant: TenantRef) -> list[str]:
    """What the message teaches that nobody has read before, over HTTP."""
    refresh_rule_sets()
    said = make_caller(tenant).send(TOLD, user_id=f"user-{LexiconEntry.objects.count()}-{get_row().version}").json()
    return [f"{fact['knowledge_type']}/{fact['knowledge_key']}" for fact in said["facts"]]


def leave_behind(tenant_id: UUID | None = None, *, name: str = "bygone_words") -> LexiconEntry:
    """A row of a list that an earlier version of the code asked for."""
    row = LexiconEntry.objects.create(
        category=WORDS, canonical=name, language="en", tenant_id=tenant_id, aliases=["nickel", "allergic"]
    )
    raise_rule_set_version()
    return row


def test_a_tenants_word_in_a_list_changes_what_its_messages_say_and_nobody_elses(
    tenant: TenantRef, other_tenant: TenantRef
) -> None:
    assert (list_facts(tenant), list_facts(other_tenant)) == ([], [])
    add_word("no1", tenant_id=tenant.id)
    assert (list_facts(tenant), list_facts(other_tenant)) == (["allergy/nickel"], [])


def test_a_list_goes_back_to_what_it_was(tenant: TenantRef) -> None:
    add_word("nada", tenant_id=tenant.id)
    row = add_word("no1", tenant_id=tenant.id)
    assert list_facts(tenant) == ["allergy/nickel"]
    restore_entry_version(entry=row, version=1, changed_by="staff:1")
    assert get_row(tenant.id).aliases[-1] == "nada"
    assert list_facts(tenant) == []


def test_a_shared_list_is_switched_off_in_a_tenant_alone(tenant: TenantRef, other_tenant: TenantRef) -> None:
    add_word("no1", tenant_id=None)
    assert list_facts(tenant) == ["allergy/nickel"]
    quarantine_entry(entry=get_row(), tenant_id=tenant.id, reason="a test", changed_by="staff:1")
    assert (list_facts(tenant), list_facts(other_tenant)) == ([], ["allergy/nickel"])
    assert list_absent_lists() == ()


@pytest.mark.parametrize("is_own", [False, True])
def test_a_list_that_nothing_asks_for_any_more_lets_the_set_come_into_force_and_says_nothing(
    tenant: TenantRef, is_own: bool
) -> None:
    before = compile_packs([get_stored_pack(tenant_id=tenant.id)], version=1)
    leave_behind(tenant.id if is_own else None)
    registry = RuleSetRegistry()
    after = registry.get(tenant.id)
    assert registry.get_status(tenant.id).problem is None
    assert after.lexicon.grammar == before.lexicon.grammar
    assert read_values(after, "i'm allergic to nickel") == {("allergy", "nickel")}
    assert find_rule_problems("default") == []


def test_the_row_of_such_a_list_can_be_switched_off_and_takes_no_new_words() -> None:
    row = leave_behind()
    with pytest.raises(RuleRefused) as refused:
        save_entry_draft(Entry(WORDS, "bygone_words", "en", ("x",)), is_active=True, tenant_id=None, changed_by="s")
    assert "there is no list “bygone_words”" in refused.value.problems[0]
    assert not quarantine_entry(entry=row, tenant_id=None, reason="old", changed_by="staff:1").is_active


def test_loading_the_pack_of_newer_code_switches_such_a_list_off(small: Pack) -> None:
    row = leave_behind()
    LexiconEntry.objects.filter(id=row.id).update(pack=small.name, pack_digest=digest_entry(read_entry_row(row)))
    difference = import_pack(replace(small, rules=small.rules[:-1]))
    assert f"{WORDS}/bygone_words/en" in difference.switched_off


def test_such_a_list_stays_out_of_the_files_so_that_they_can_be_brought_back(small: Pack, tmp_path: Path) -> None:
    leave_behind()
    export_pack(folder=tmp_path / "copy")
    copy = load_pack(tmp_path / "copy")
    assert {entry.canonical for entry in copy.entries if entry.category == WORDS} >= {"nobody"}
    assert [entry for entry in copy.entries if entry.canonical == "bygone_words"] == []
    assert "nobody" not in import_pack(replace(copy, settings=small.settings)).switched_off


def test_a_pack_with_words_for_a_list_that_nothing_asks_for_is_refused_with_its_name(small: Pack) -> None:
    odd = replace(small, name="odd", entries=(*small.entries, Entry(WORDS, "bygone_words", "en", ("x",))))
    with pytest.raises(PackError, match="there is no list “bygone_words”"):
        import_pack(odd)


def test_a_list_that_no_row_has_is_named_to_operators_and_the_rest_stays_in_force(
    caplog: pytest.LogCaptureFixture,
) -> None:
    LexiconEntry.objects.filter(canonical="nobody").delete()
    raise_rule_set_version()
    refresh_rule_sets()
    status = get_rule_set_status()
    assert (status.source, status.refused_version, status.absent_lists) == ("rows", None, ("nobody",))
    assert "grammar lists have no rows (nobody)" in (status.problem or "")
    assert "lists of grammar have no rows" in [record.message for record in caplog.records]
    (message,) = find_rule_problems("default")
    assert (message.id, "(nobody)" in message.msg) == ("unde.W021", True)


def test_loading_the_pack_again_brings_a_lost_list_back_and_leaves_the_others(small: Pack) -> None:
    assert import_pack(small).is_empty
    LexiconEntry.objects.filter(canonical="nobody").delete()
    added = import_pack(small).added
    assert {name.split("/")[1] for name in added} == {"nobody"}
    assert list_absent_lists() == ()


def test_a_list_that_staff_switched_off_everywhere_is_not_called_absent() -> None:
    for row in LexiconEntry.objects.filter(canonical="nobody", tenant_id=None):
        quarantine_entry(entry=row, tenant_id=None, reason="a test", changed_by="staff:1")
    assert list_absent_lists() == ()
    assert "nobody" in list_grammar()
