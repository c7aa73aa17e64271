"""Every rule of the gate, as a table: what is proposed, on which words, and how it ends."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge
from memory.extraction.types import ADAPTIVE_TYPES, EXTRACTABLE_TYPES, Candidate, Operation
from memory.ids import new_id
from tests.unit.memory.extraction.conftest import NOW, OPERATIONS, know, propose, say

MakeContext = Callable[..., GateContext]


@pytest.mark.parametrize(
    ("changed", "result"),
    [
        ({"knowledge_type": "mood"}, "rejected_type_not_guaranteed"),
        ({"knowledge_type": "onboarding_style"}, "rejected_type_not_guaranteed"),
        ({"subject": "other"}, "rejected_subject_not_user"),
        ({"subject": "unknown"}, "rejected_subject_not_user"),
        ({"confidence": 0.79}, "rejected_low_confidence"),
        ({"evidence_message_ids": ()}, "rejected_no_evidence"),
        ({"evidence_message_ids": ("m1", "m9")}, "rejected_unknown_evidence"),
        ({"evidence_message_ids": ("m2",)}, "rejected_not_user_message"),
        ({"operation": "UPDATE", "knowledge_id": None}, "rejected_unknown_fact"),
        ({"operation": "REMOVE", "knowledge_id": "f9"}, "rejected_unknown_fact"),
        ({"operation": "CONFIRM", "knowledge_id": "f1"}, "rejected_unknown_fact"),
        ({"value": None, "knowledge_key": None}, "rejected_no_value"),
        ({"knowledge_key": "latex", "value": "latex"}, "rejected_value_not_in_evidence"),
        ({}, "accepted"),
        ({"evidence_message_ids": ("m1", "m2")}, "accepted"),
        ({"knowledge_key": None, "value": "шерсть"}, "accepted"),
        ({"knowledge_key": "WOOL", "value": "صوف"}, "accepted"),
        ({"confidence": 0.8}, "accepted"),
    ],
)
def test_the_form_of_a_proposal_decides_first(changed: dict[str, Any], result: str, make_context: MakeContext) -> None:
    fields = {"knowledge_type": "allergy", "knowledge_key": "wool", "value": "wool", **changed}
    operation = propose(fields.pop("knowledge_type"), fields.pop("knowledge_key"), fields.pop("value"), **fields)
    said = [say("I'm allergic to wool"), say("wool it is", role="assistant", seq=2)]
    (decision,) = judge([operation], make_context(said, [know("body_params", "size", "M")]))
    assert decision.result == result


@pytest.mark.parametrize(
    ("text", "knowledge_type", "key", "value", "result"),
    [
        ("у меня аллергия на никель", "allergy", "nickel", "nickel", "accepted"),
        ("بشرتي تتحسس من الصوف دايم", "allergy", "wool", "wool", "accepted"),
        ("7asasiya min nickel", "allergy", "nickel", "nickel", "accepted"),
        ("my sister is allergic to silk", "allergy", "silk", "silk", "rejected_veto_other_subject"),
        ("what if I were allergic to silk?", "allergy", "silk", "silk", "rejected_veto_question"),
        ("I have no silk allergy", "allergy", "silk", "silk", "rejected_veto_negated"),
        ("I was allergic to silk as a kid", "allergy", "silk", "silk", "rejected_veto_past"),
        ("silk is soft", "allergy", "silk", "silk", "rejected_no_anchor"),
        ("faux leather gives me an allergy", "allergy", "leather", "leather", "rejected_value_not_in_evidence"),
        ("never suggest leather to me", "hard_ban", "leather", "leather", "accepted"),
        ("no leather today please", "hard_ban", "leather", "leather", "rejected_veto_"),
        ("I don't like leather", "hard_ban", "leather", "leather", "rejected_"),
        ("I don't want Zara", "hard_ban", "zara", "zara", "rejected_"),
        ("remember I love leather", "hard_ban", "leather", "leather", "rejected_no_anchor"),
        ("my size is M", "body_params", "size", "M", "accepted"),
        ("my size is M", "body_params", "size", "L", "rejected_value_not_in_evidence"),
        ("my size is M", "body_params", "shoe_size", "39", "rejected_unknown_key"),
        ("my size is M", "body_params", "size", "SMX", "rejected_value_malformed"),
        ("my size is M", "body_params", "height", "900", "rejected_value_malformed"),
        ("do you have it in M?", "body_params", "size", "M", "rejected_veto_"),
        ("my budget is 700", "budget", "general", "700 AED", "accepted"),
        ("my budget is 700", "budget", "general", "about seven hundred", "rejected_value_malformed"),
        ("my budget is 700", "budget", "gifts", 700, "rejected_unknown_key"),
        ("this costs 900 dirham, crazy", "budget", "general", 900, "rejected_veto_price"),
        ("свадьба сестры 14 мая", "life_event", "wedding_sister", "wedding", "accepted"),
        ("свадьба сестры 14 мая", "life_event", "wedding", "wedding", "rejected_value_not_in_evidence"),
        ("свадьба сестры 14 мая", "life_event", "coronation", "coronation", "rejected_value_not_in_vocabulary"),
        ("I love Zara", "brand_preference", "zara", "zara", "staged"),
        ("my friend loves Zara", "brand_preference", "zara", "zara", "rejected_veto_other_subject"),
        ("I love bread", "brand_preference", "bread", "bread", "rejected_value_not_in_vocabulary"),
        ("allergic to titanium", "allergy", "titanium", "titanium", "staged"),
        ("titanium looks great", "allergy", "titanium", "titanium", "rejected_no_anchor"),
        ("my brother is allergic to titanium", "allergy", "titanium", "titanium", "rejected_veto_other_subject"),
        ("wallah this dress 7ilu بس overpriced شوي", "budget", "general", 300, "rejected_value_not_in_evidence"),
        ("", "allergy", "wool", "wool", "rejected_value_not_in_evidence"),
    ],
)
def test_the_words_of_the_user_decide_then(
    text: str, knowledge_type: str, key: str, value: Any, result: str, make_context: MakeContext
) -> None:
    (decision,) = judge([propose(knowledge_type, key, value)], make_context([text]))
    assert decision.result.startswith(result)


def test_a_declaration_is_confirmed_by_the_user_at_most_nine_tenths(make_context: MakeContext) -> None:
    (decision,) = judge([propose("allergy", "wool", "wool", confidence=1.0)], make_context(["I'm allergic to wool"]))
    assert decision.statement is not None
    assert (decision.statement.provenance, decision.statement.confidence) == ("confirmed_by_user", 0.9)
    assert (decision.statement.extracted_from, decision.statement.rule) == ("batch", "extraction.v1")


def test_an_event_takes_its_date_from_the_words_and_not_from_the_model(make_context: MakeContext) -> None:
    event = propose("life_event", "wedding_sister", "wedding")
    (decision,) = judge([event], make_context(["my sister's wedding is in two weeks"]))
    assert decision.statement is not None
    assert decision.statement.expires_at is not None
    assert decision.statement.expires_at.date().isoformat() == "2026-03-16"


def test_a_copy_of_the_assistants_words_is_no_evidence(make_context: MakeContext) -> None:
    pasted = "So you are allergic to wool then"
    said = [say(pasted, role="assistant"), say(pasted, minutes=1, seq=2)]
    (decision,) = judge([propose("allergy", "wool", "wool", evidence_message_ids=("m2",))], make_context(said))
    assert decision.result == "rejected_echo"


def test_what_is_said_later_counts_even_when_the_model_does_not_cite_it(make_context: MakeContext) -> None:
    context = make_context(["my size is M", "I'm not M any more"])
    (decision,) = judge([propose("body_params", "size", "M")], context)
    assert decision.result == "rejected_contradicted_later"


def test_the_second_independent_evidence_makes_a_fact_of_a_candidate(make_context: MakeContext) -> None:
    earlier = say("I love Zara", days=-3)
    candidate = Candidate(
        id=new_id(),
        kind="second_evidence",
        knowledge_type="brand_preference",
        knowledge_key="zara",
        value="zara",
        confidence=0.8,
        evidence_message_ids=(earlier.id,),
        first_said_at=earlier.created_at,
        last_said_at=earlier.created_at,
        expires_at=NOW + timedelta(days=30),
    )
    context = make_context(
        ["for work I prefer Zara"],
        candidates={candidate.slot: candidate},
        earlier={earlier.id: earlier},
    )
    (decision,) = judge([propose("brand_preference", "zara", "zara")], context)
    assert (decision.result, decision.candidate_id) == ("accepted", candidate.id)
    assert decision.evidence_message_ids[0] == earlier.id
    assert decision.statement is not None
    assert (decision.statement.provenance, decision.statement.confidence) == ("analysis", 0.8)


def test_a_candidate_whose_message_is_gone_lends_no_evidence(make_context: MakeContext) -> None:
    candidate = Candidate(
        id=new_id(),
        kind="second_evidence",
        knowledge_type="brand_preference",
        knowledge_key="zara",
        value="zara",
        confidence=0.8,
        evidence_message_ids=(new_id(),),
        first_said_at=NOW - timedelta(days=3),
        last_said_at=NOW - timedelta(days=3),
        expires_at=NOW + timedelta(days=30),
    )
    context = make_context(["for work I prefer Zara"], candidates={candidate.slot: candidate})
    (decision,) = judge([propose("brand_preference", "zara", "zara")], context)
    assert decision.result == "staged"


def test_an_update_keeps_to_the_key_of_its_fact(make_context: MakeContext) -> None:
    context = make_context(["my budget is 700 now, and I'm allergic to wool"], [know("budget", "general", 500)])
    change = propose("budget", "general", 700, operation="UPDATE", knowledge_id="f1")
    other = propose("allergy", "wool", "wool", operation="UPDATE", knowledge_id="f1")
    assert [decision.result for decision in judge([change, other], context)] == ["accepted", "rejected_unknown_fact"]


def test_a_key_is_decided_once_a_run(make_context: MakeContext) -> None:
    operation = propose("allergy", "wool", "wool")
    decisions = judge([operation, operation], make_context(["I'm allergic to wool"]))
    assert [decision.result for decision in decisions] == ["accepted", "rejected_decided_already"]


def test_a_fact_said_later_is_not_changed_by_older_words(make_context: MakeContext) -> None:
    newer = know("budget", "general", 900)
    context = make_context([say("my budget is 700", days=-20)], [newer])
    (decision,) = judge([propose("budget", "general", 700)], context)
    assert decision.result == "rejected_older_than_fact"


@pytest.mark.parametrize(
    ("fact", "text", "result", "effect"),
    [
        (know("body_params", "size", "M"), "I'm not M any more", "accepted", "deactivate"),
        (know("body_params", "size", "M"), "I love the size M dress", "rejected_no_denial", ""),
        (know("body_params", "size", "M"), "hello", "rejected_value_not_in_evidence", ""),
        (know("body_params", "size", "M"), "what if I'm not M any more?", "rejected_veto_question", ""),
        (know("allergy", "wool", "wool"), "I'm not allergic to wool any more", "accepted", "dispute"),
        (know("allergy", "wool", "wool"), "у меня больше нет allergy на wool", "accepted", "dispute"),
        (know("allergy", "wool", "wool"), "у сестры больше нет allergy на wool", "rejected_no_denial", ""),
        (know("hard_ban", "leather", "leather"), "غيرت رأيي، الحين عادي تعرضين لي جلد", "accepted", "dispute"),
        (know("allergy", "wool", "wool", is_disputed=True), "I'm not allergic to wool any more", "already_known", ""),
        (
            know("body_params", "size", "M", extracted_from="onboarding"),
            "I'm not M any more",
            "accepted",
            "dispute",
        ),
    ],
)
def test_a_fact_ends_by_the_users_own_denial_and_an_allergy_is_only_doubted(
    fact: Any, text: str, result: str, effect: str, make_context: MakeContext
) -> None:
    removal = propose(fact.knowledge_type, None, None, operation="REMOVE", knowledge_id="f1")
    (decision,) = judge([removal], make_context([text], [fact]))
    assert (decision.result, decision.effect) == (result, effect)


@pytest.mark.parametrize("held", [("type", "allergy"), ("language", "en"), ("version", "extraction.v1")])
def test_a_quarantined_slice_lets_nothing_through(held: tuple[str, str], make_context: MakeContext) -> None:
    context = make_context(["I'm allergic to wool"], quarantined=frozenset({held}))
    (decision,) = judge([propose("allergy", "wool", "wool")], context)
    assert decision.result == "rejected_quarantined"


OPERATION = st.builds(
    Operation,
    operation=st.sampled_from(OPERATIONS),
    knowledge_type=st.sampled_from([*EXTRACTABLE_TYPES, *ADAPTIVE_TYPES, "x", ""]),
    knowledge_key=st.one_of(st.none(), st.sampled_from(["wool", "size", "height", "wedding_sister"]), st.text()),
    value=st.one_of(st.none(), st.integers(), st.text()),
    knowledge_id=st.one_of(st.none(), st.sampled_from(["f1", "f2"]), st.text()),
    evidence_message_ids=st.lists(st.sampled_from(["m1", "m2", "m3", "m9"]), max_size=4).map(tuple),
    subject=st.sampled_from(["user", "other"]),
    confidence=st.floats(0, 1),
)


@given(st.lists(OPERATION, max_size=6), st.text(max_size=60))
def test_whatever_a_model_proposes_the_gate_answers_with_a_code(operations: list[Operation], text: str) -> None:
    context = _context_of(text)
    decisions = judge(operations, context)
    assert len(decisions) == len(operations)
    known = ("accepted", "staged", "already_known", "item_", "rejected_")
    assert all(decision.result.startswith(known) for decision in decisions)
    for decision in decisions:
        assert all(context.material.messages["m1"].conversation_id for _ in decision.evidence_message_ids)
        user_ids = {m.id for m in context.material.messages.values() if m.role == "user"}
        assert set(decision.evidence_message_ids) <= user_ids


_made: list[Callable[..., GateContext]] = []


@pytest.fixture(autouse=True)
def _remember_maker(make_context: MakeContext) -> None:
    # Hypothesis refuses fixtures of function scope; the maker holds nothing but the compiled rules.
    _made[:] = [make_context]


def _context_of(text: str) -> GateContext:
    said = [say(text), say("you said wool", role="assistant", seq=2), say("size M, allergic to wool", seq=3, minutes=2)]
    return _made[0](said, [know("body_params", "size", "M"), know("allergy", "wool", "wool")], is_adaptive=True)
