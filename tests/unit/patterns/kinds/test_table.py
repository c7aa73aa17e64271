"""A type of fact is a folder with a `Kind`, and data: nothing else of the room knows its name."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from patterns.kinds.kind import Kind
from patterns.kinds.table import KINDS
from patterns.rule import CORRECTION, KNOWLEDGE_TYPES
from patterns.rules.pack import Pack, PackError, compile_packs, load_pack
from patterns.statements.vetoes import is_negated
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message
from tests.unit.patterns.conftest import SAID_AT

RULES = r"""
- slug: en-pet-own
  type: pet
  language: en
  kind: own
  pattern: (?:i have|my) (?:a )?(?P<pet>cat|dog)
  positive: ["I have a dog"]
  negative: ["dogs are nice"]
"""
WORDS = 'pet:\n  cat: {en: "cat, kitty"}\n  dog: {en: "dog, puppy"}\n'


def read_pets(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Each pet that a rule names and nothing denies."""
    for one in fired:
        if is_negated(message, one.start):
            findings.refuse(one, "denied")
            continue
        pet = one.groups["pet"]
        expires_on: date | None = findings.today + timedelta(days=365)
        findings.drafts.append(Draft("pet", pet, pet, one.start, one.end, one.rule, expires_on))


PET = Kind(knowledge_type="pet", readers=(read_pets,), sorts=("own",), confidence=0.7)


@pytest.fixture
def pets(tmp_path: Path) -> Pack:
    folder = tmp_path / "pets"
    folder.mkdir()
    (folder / "rules.yaml").write_text(RULES)
    (folder / "pets.yaml").write_text(WORDS)
    return load_pack(folder)


def test_a_type_of_its_own_is_read_beside_the_others(pack: Pack, pets: Pack) -> None:
    others = replace(pack, rules=tuple(rule for rule in pack.rules if rule.knowledge_type == "allergy"))
    rule_set = compile_packs([others, pets], version=1, kinds=(*KINDS, PET))
    result = rule_set.read("I have a dog and I'm allergic to wool", said_at=SAID_AT)
    found = {(one.knowledge_type, one.knowledge_key, one.confidence) for one in result.readings}
    assert found == {("pet", "dog", 0.7), ("allergy", "wool", 0.95)}
    draft = rule_set.exchange_rules(rule_set.rules, version=2)
    assert draft.read("I have a dog", said_at=SAID_AT).readings[0].knowledge_type == "pet"


def test_a_rule_of_a_type_that_nothing_reads_is_refused(pack: Pack, pets: Pack) -> None:
    with pytest.raises(PackError, match="'pet' is not one of"):
        compile_packs([pack, pets], version=1)


def test_the_choices_of_the_column_are_the_types_of_the_table() -> None:
    assert set(KNOWLEDGE_TYPES) == {kind.knowledge_type for kind in KINDS} | {CORRECTION}
