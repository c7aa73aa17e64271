"""The adaptive policy (SPEC X-7): items in the user's own words, capped, fading, apart from facts."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from memory.extraction.judging.adaptive import is_like, list_items_to_show, measure_effective_confidence
from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge, judge_one
from memory.extraction.model.prompt import build_prompt, choose_version, make_material
from memory.extraction.types import Decision, Item
from memory.ids import new_id
from tests.unit.memory.extraction.conftest import DUBAI, NOW, know, propose, say

MakeContext = Callable[..., GateContext]


def hold(key: str, value: str, *, item_type: str = "preference", days_ago: int = 0, **more: Any) -> Item:
    said_at = NOW - timedelta(days=days_ago)
    fields = {"confidence": 0.5, "evidence_message_ids": (new_id(),), **more}
    return Item(
        id=new_id(),
        item_type=item_type,
        key=key,
        value=value,
        first_said_at=said_at,
        last_said_at=said_at,
        expires_at=said_at + timedelta(days=180),
        **fields,
    )


def judge_value(
    context: GateContext, value: Any, *, key: str = "style", kind: str = "preference", **more: Any
) -> Decision:
    return judge_one(propose(kind, key, value, **more), context)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I love minimalist cuts", "minimalist cuts"),
        ("мне нравятся спокойные цвета", "спокойные цвета"),
        ("أحب الألوان الهادية", "الألوان الهادية"),
        ("a7eb el alwan el hadya", "el alwan el hadya"),
        ("I don't like bright colours", "don't like bright colours"),
        ("терпеть не могу яркие цвета", "терпеть не могу яркие цвета"),
        ("ما احب الألوان القوية", "ما احب الألوان القوية"),
    ],
)
def test_a_declared_taste_is_kept_at_half_confidence_in_the_users_words(
    text: str, value: str, make_context: MakeContext
) -> None:
    decision = judge_value(make_context([text], is_adaptive=True), value)
    assert (decision.result, decision.effect) == ("item_kept", "keep_item")
    assert decision.item is not None
    assert (decision.item.value, decision.item.confidence, decision.item.is_active) == (value, 0.5, True)
    assert decision.statement is None


@pytest.mark.parametrize(
    ("text", "value", "result"),
    [
        ("I love minimalist cuts", "simple shapes", "rejected_value_not_in_evidence"),
        ("do I love minimalist cuts?", "minimalist cuts", "rejected_veto_question"),
        ("my sister loves minimalist cuts", "minimalist cuts", "rejected_veto_other_subject"),
        ("I used to love minimalist cuts", "minimalist cuts", "rejected_veto_past"),
        ("I don't like bright colours", "bright colours", "rejected_veto_negated"),
        ("I hate bright colours", "bright colours", "rejected_veto_negated"),
        ("не люблю яркие цвета", "яркие цвета", "rejected_veto_negated"),
        ("ما احب الألوان القوية", "الألوان القوية", "rejected_veto_negated"),
        ("minimalist cuts are sold here", "minimalist cuts", "rejected_no_anchor"),
        ("I love it that I'm allergic to nickel", "allergic to nickel", "rejected_belongs_to_facts"),
        ("I love minimalist cuts", "", "rejected_no_value"),
        ("I love minimalist cuts", 7, "rejected_no_value"),
        (
            "I love one two three four five six seven eight nine",
            "one two three four five six seven eight nine",
            "rejected_value_malformed",
        ),
    ],
)
def test_what_the_user_did_not_say_so_is_no_item(text: str, value: Any, result: str, make_context: MakeContext) -> None:
    assert judge_value(make_context([text], is_adaptive=True), value).result == result


@pytest.mark.parametrize(
    ("changed", "result"),
    [
        ({"subject": "other"}, "rejected_subject_not_user"),
        ({"confidence": 0.5}, "rejected_low_confidence"),
        ({"evidence_message_ids": ()}, "rejected_no_evidence"),
        ({"evidence_message_ids": ("m9",)}, "rejected_unknown_evidence"),
        ({"evidence_message_ids": ("m2",)}, "rejected_not_user_message"),
        ({"operation": "UPDATE"}, "rejected_unknown_operation"),
        ({"operation": "REMOVE", "knowledge_id": "i7"}, "rejected_unknown_item"),
    ],
)
def test_the_form_of_an_item_decides_first(changed: dict[str, Any], result: str, make_context: MakeContext) -> None:
    context = make_context(["I love linen", say("Noted.", role="assistant", minutes=5, seq=2)], is_adaptive=True)
    assert judge_value(context, "linen", **changed).result == result


def test_the_strict_policy_refuses_every_item(make_context: MakeContext) -> None:
    assert judge_value(make_context(["I love linen"]), "linen").result == "rejected_type_not_guaranteed"


def test_a_habit_waits_until_it_was_seen_on_two_days(make_context: MakeContext) -> None:
    def seen(*messages: Any) -> Decision:
        refs = tuple(f"m{number}" for number in range(1, len(messages) + 1))
        context = make_context(messages, is_adaptive=True)
        return judge_value(
            context, "платья с принтом", kind="behaviour_pattern", key="prints", evidence_message_ids=refs
        )

    one_talk = seen("покажи платья с принтом", "а ещё принты есть?", "давай леопардовый принт")
    assert (one_talk.result, one_talk.item is not None and one_talk.item.is_active) == ("item_waiting", False)
    two_days = seen(say("покажи платья с принтом", days=-3), say("давай леопардовый принт", seq=2))
    assert two_days.result == "item_kept"
    assert two_days.item is not None
    assert two_days.item.confidence == 0.6


@pytest.mark.parametrize(
    "text",
    [
        "не показывай платья с принтом",
        "моя сестра всегда берёт принты",
        "no prints please",
        "I hate prints",
        'she said "prints"',
    ],
)
def test_a_no_to_it_and_somebody_elses_habit_are_no_habit(text: str, make_context: MakeContext) -> None:
    value = "prints" if text.isascii() else "принты"
    decision = judge_value(make_context([text], is_adaptive=True), value, kind="behaviour_pattern", key="prints")
    assert decision.result == "rejected_value_not_in_evidence"


def test_a_waiting_habit_is_completed_by_a_later_run(make_context: MakeContext) -> None:
    before = say("show me printed dresses", days=-4)
    held = hold("prints", "prints", item_type="behaviour_pattern", is_active=False, evidence_message_ids=(before.id,))
    context = make_context(
        ["anything with prints today"], is_adaptive=True, items={held.slot: held}, earlier={before.id: before}
    )
    assert judge_value(context, "prints", kind="behaviour_pattern", key="prints").result == "item_kept"


def test_an_item_goes_when_the_user_speaks_of_it_again(make_context: MakeContext) -> None:
    item = hold("style", "minimalist cuts", days_ago=3)
    context = make_context(["no minimalist cuts any more please"], is_adaptive=True)
    context.material.items["i1"] = item  # type: ignore[index]
    dropped = judge_value(context, None, operation="REMOVE", knowledge_id="i1")
    assert (dropped.result, dropped.item_id) == ("item_dropped", item.id)
    silent = make_context(["hello there"], is_adaptive=True)
    silent.material.items["i1"] = item  # type: ignore[index]
    assert judge_value(silent, None, operation="REMOVE", knowledge_id="i1").result == "rejected_value_not_in_evidence"


def test_a_key_is_decided_once_a_run_and_a_quarantine_holds_items_back(make_context: MakeContext) -> None:
    twice = [propose("preference", "style", "linen"), propose("preference", "style", "linen")]
    decisions = judge(twice, make_context(["I love linen"], is_adaptive=True))
    assert [one.result for one in decisions] == ["item_kept", "rejected_decided_already"]
    held_back = make_context(["I love linen"], is_adaptive=True, quarantined=frozenset({("type", "preference")}))
    assert judge_value(held_back, "linen").result == "rejected_quarantined"
    not_in_english = make_context(["I love linen"], is_adaptive=True, quarantined=frozenset({("language", "en")}))
    assert judge_value(not_in_english, "linen").result == "rejected_quarantined"


@pytest.mark.parametrize(("days", "expected"), [(0, 0.5), (30, 0.5), (31, 0.425), (91, 0.3), (181, 0.15)])
def test_confidence_fades_with_the_time_since_it_was_said(days: int, expected: float) -> None:
    said_at = NOW - timedelta(days=days)
    assert measure_effective_confidence(0.5, said_at=said_at, now=NOW) == pytest.approx(expected)


def test_a_fact_of_the_same_key_silences_an_item_and_faint_ones_are_left_out() -> None:
    items = [hold("leather", "leather"), hold("style", "linen"), hold("fit", "loose", days_ago=120)]
    silenced = frozenset({know("hard_ban", "leather", "leather").knowledge_key})
    shown = list_items_to_show(items, silenced_keys=silenced, now=NOW, limit=5, least=0.2)
    assert [(item.key, round(weight, 3)) for item, weight in shown] == [("style", 0.5), ("fit", 0.3)]
    assert list_items_to_show(items, silenced_keys=silenced, now=NOW, limit=5, least=0.4) == shown[:1]
    assert list_items_to_show(items, silenced_keys=silenced, now=NOW, limit=0, least=0.2) == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("принтом", "принты", True), ("prints", "printed", True), ("print", "price", False), ("бег", "бега", False)],
)
def test_two_forms_of_a_word_are_alike(one: str, other: str, expected: bool) -> None:
    assert is_like(one, other) is expected


def test_the_prompt_of_the_policy_has_a_version_its_types_and_the_items() -> None:
    material = make_material(messages=[say("hi")], facts=[], items=[hold("style", "linen")])
    strict = build_prompt(material, now=NOW, zone=DUBAI, version=choose_version(is_adaptive=False))
    adaptive = build_prompt(material, now=NOW, zone=DUBAI, version=choose_version(is_adaptive=True))
    assert (strict.version, adaptive.version) == ("v1", "v1-adaptive")
    assert ("current_items" in strict.user, "current_items" in adaptive.user) == (False, True)
    enums = [
        prompt.schema["properties"]["operations"]["items"]["properties"]["knowledge_type"]["enum"]
        for prompt in (strict, adaptive)
    ]
    assert enums[1] == [*enums[0], "preference", "behaviour_pattern"]
    assert adaptive.system.startswith(strict.system)
