"""Golden replies: they hold for the shipped pack, and whoever breaks one is told which in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corrections.evaluation.golden import list_broken_replies, load_golden_replies, read_fact
from patterns.rules.pack import SHIPPED, compile_packs, load_pack
from patterns.rules.ruleset import RuleSet


def test_every_golden_reply_of_the_shipped_pack_holds(rule_set: RuleSet) -> None:
    cases = load_golden_replies()
    assert len(cases) >= 30
    assert len({case.name for case in cases}) == len(cases)
    assert list_broken_replies(rule_set, cases) == []


def test_there_are_replies_that_do_nothing_in_every_language() -> None:
    quiet = {case.name.rpartition("-")[2] for case in load_golden_replies() if not case.operations}
    assert quiet >= {"en", "ru", "ar", "arabizi"}


def test_phrases_that_go_missing_break_a_reply_by_name_with_both_its_effects() -> None:
    pack = load_pack(SHIPPED)
    fewer = tuple(
        entry
        for entry in pack.entries
        if (entry.category, entry.canonical, entry.language) != ("reply.challenge", "source", "ru")
    )
    faults = list_broken_replies(compile_packs([replace(pack, entries=fewer)], version=0))
    assert [fault.name for fault in faults] == ["reply C8-ru"]
    assert "с чего ты взяла" in faults[0].sentence
    assert "must do dispute hard_ban/leather, does nothing" in faults[0].sentence


def test_a_fact_is_read_from_its_short_form() -> None:
    fact = read_fact("body_params/size=M!")
    assert (fact.slot, fact.value, fact.is_disputed) == (("body_params", "size"), "M", True)
    event = read_fact("life_event/wedding_sister")
    assert (event.value, event.expires_at is not None) == ("wedding", True)


@pytest.mark.parametrize("text", ["", "silk", "allergy/", "/silk"])
def test_what_is_no_fact_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_fact(text)
