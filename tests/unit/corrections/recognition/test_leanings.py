"""Tastes and habits that a reply denies, in four languages, and what leaves them alone (SPEC C-1, X-7)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from corrections.recognition.detector import read_reply
from corrections.recognition.leanings import find_denied_leanings
from memory.extraction.judging.tastes import list_content_words, may_speak_of_taste
from memory.extraction.types import Item
from patterns.rules.ruleset import RuleSet

THEN = datetime(2026, 3, 1, tzinfo=UTC)


def hold(value: str, kind: str = "preference") -> Item:
    return Item(
        id=uuid4(),
        item_type=kind,
        key="key",
        value=value,
        confidence=0.5,
        evidence_message_ids=(uuid4(),),
        first_said_at=THEN,
        last_said_at=THEN,
        expires_at=THEN,
    )


def deny(rules: RuleSet, reply: str, item: Item, *, turn: str | None = None, is_denial: bool = False) -> list[str]:
    text = read_reply(reply, rule_set=rules)
    heard = read_reply(turn, rule_set=rules) if turn else None
    found = find_denied_leanings(text, turn=heard, items=[item, hold("zebra stripes")], is_denial=is_denial)
    assert not found or (found[0][0] is item and len(found) == 1)
    assert not found or is_denial or may_speak_of_taste(text.message)
    return [kind for _, kind in found]


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        ("minimalist cuts", "I don't like minimalist cuts"),
        ("minimalist cuts", "actually I hate minimalist cuts"),
        ("minimalist cuts", "I don't like minimalist cuts any more"),
        ("minimalist cuts", "not minimalist cuts, please"),
        ("спокойные цвета", "мне не нравятся спокойные цвета"),
        ("спокойные цвета", "я больше не люблю спокойные цвета"),
        ("الألوان الهادية", "ما احب الألوان الهادية"),
        ("el alwan el hadya", "ma a7eb el alwan el hadya"),
        ("don't like bright colours", "I love bright colours"),
        ("терпеть не могу яркие цвета", "я люблю яркие цвета"),
    ],
)
def test_the_users_own_words_deny_a_taste(rule_set: RuleSet, value: str, reply: str) -> None:
    assert deny(rule_set, reply, hold(value)) in (["user_denied"], ["outdated"])


def test_a_habit_is_denied_by_a_not(rule_set: RuleSet) -> None:
    assert deny(rule_set, "I don't shop on weekends", hold("shop weekends", "behaviour_pattern")) == ["user_denied"]


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        ("minimalist cuts", "I love minimalist cuts"),
        ("minimalist cuts", "why don't you show me minimalist cuts?"),
        ("minimalist cuts", "my sister doesn't like minimalist cuts"),
        ("minimalist cuts", "I don't like wide cuts"),
        ("minimalist cuts", "I don't want minimalist cuts today"),
        ("minimalist cuts", "if I didn't like minimalist cuts I would say so"),
        ("minimalist cuts", "no, the red one"),
        ("minimalist cuts", "I don't only like minimalist cuts"),
        ("don't like bright colours", "I don't like bright colours at all"),
        ("don't like bright colours", "I hate bright colours"),
        ("спокойные цвета", "подруге не нравятся спокойные цвета"),
        ("спокойные цвета", "мне не нравится эта доставка"),
    ],
)
def test_what_denies_nothing_leaves_a_taste_alone(rule_set: RuleSet, value: str, reply: str) -> None:
    assert deny(rule_set, reply, hold(value)) == []


def test_half_of_the_words_are_enough_for_what_was_just_said(rule_set: RuleSet) -> None:
    turn = "You love minimalist cuts, so here are three."
    assert deny(rule_set, "no, I don't like minimalism", hold("minimalist cuts"), turn=turn) == ["user_denied"]
    assert deny(rule_set, "no, I don't like minimalism", hold("minimalist cuts")) == []


def test_a_bare_no_denies_what_the_turn_says_and_not_what_it_asks(rule_set: RuleSet) -> None:
    item = hold("minimalist cuts")
    assert deny(rule_set, "that's wrong", item, turn="You love minimalist cuts.", is_denial=True) == ["user_denied"]
    assert deny(rule_set, "that's wrong", item, turn="Do you love minimalist cuts?", is_denial=True) == []
    assert deny(rule_set, "that's wrong", item, turn="You love wide trousers.", is_denial=True) == []


@pytest.mark.parametrize("text", ["", "hello", "wide cuts in black", "покажи платья"])
def test_the_gate_lets_most_messages_pass_by(rule_set: RuleSet, text: str) -> None:
    assert not may_speak_of_taste(rule_set.analyse(text))


def test_the_words_of_a_taste_are_what_it_is_about() -> None:
    assert list_content_words("don't like bright colours") == ["bright", "colours"]
    assert list_content_words("I love") == []
