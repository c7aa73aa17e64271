"""What facts of extraction ask of the fold: caps follow provenance, and a brand falls with one of its two evidences."""

from memory.facts.ledger import FactLedger
from memory.types import Statement
from tests.unit.memory.test_ledger import NOW, act, make_ledger, say


def batch(ledger: FactLedger, statement: Statement) -> None:
    ledger.set_fact(statement, action=act(ledger, kind="extraction"))


def make_statement(**more: object) -> Statement:
    fields = {
        "knowledge_type": "allergy",
        "knowledge_key": "wool",
        "value": "wool",
        "confidence": 0.8,
        "extracted_from": "batch",
        "said_at": NOW,
        "provenance": "analysis",
        **more,
    }
    return Statement(**fields)  # type: ignore[arg-type]


def test_a_fact_of_analysis_that_the_user_then_states_plainly_is_confirmed_and_as_sure_as_that() -> None:
    ledger = make_ledger()
    first = say("wool", kind="allergy", key="wool")
    batch(ledger, make_statement(evidence_message_ids=first.evidence_message_ids))
    change = ledger.set_fact(say("wool", kind="allergy", key="wool"), action=act(ledger))
    assert (change.action, change.fact.provenance, change.fact.confidence) == ("renewed", "confirmed_by_user", 0.95)


def test_analysis_takes_nothing_from_what_the_user_has_confirmed() -> None:
    ledger = make_ledger()
    ledger.set_fact(say("wool", kind="allergy", key="wool"), action=act(ledger))
    change = ledger.set_fact(make_statement(evidence_message_ids=(say("x").evidence_message_ids)), action=act(ledger))
    assert (change.fact.provenance, change.fact.confidence) == ("confirmed_by_user", 0.95)


def test_a_brand_preference_falls_with_one_of_its_two_evidences() -> None:
    ledger = make_ledger()
    evidence = (*say("x").evidence_message_ids, *say("y").evidence_message_ids)
    zara = make_statement(
        knowledge_type="brand_preference", knowledge_key="zara", value="zara", evidence_message_ids=evidence
    )
    batch(ledger, zara)
    fact = ledger.list_facts()[0]
    change = ledger.withdraw_evidence(fact, {evidence[0]}, action=act(ledger, kind="edit"))
    assert change is not None
    assert change.action == "deactivated"
    assert ledger.list_facts() == []
