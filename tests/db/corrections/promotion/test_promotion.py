"""What users share becomes knowledge by a person's decision, names nobody, and goes with those it rests on (N-8, D-50)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from corrections.models.promotion import PromotionEvidence, PromotionProposal
from corrections.promotion import proposing
from corrections.promotion.deciding import accept, name_document, refuse
from corrections.promotion.erasing import EvidenceEraser, export_promotions
from corrections.promotion.weighing import Holding, find_shared, read_value
from memory.errors import Conflict
from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from memory.types import ErasureScope, UserRef
from retrieval.knowledge.models import Document
from retrieval.knowledge.services.corpora import put_corpus
from tests.cast import Chatter

NOW = datetime(2026, 3, 1, tzinfo=UTC)
USERS = [new_id() for _ in range(6)]


def hold(user: int, value: str = "no leather", **more: Any) -> Holding:
    values: dict[str, Any] = {
        "user_id": USERS[user], "fact_id": new_id(), "knowledge_type": "hard_ban", "knowledge_key": "material",
        "value": value, "confidence": 0.9, "seen": 1, "sessions": 1, "is_disputed": False,
    }  # fmt: skip
    return Holding(**values | more)


def test_three_users_who_agree_make_a_proposal() -> None:
    (shared,) = find_shared([hold(0), hold(1), hold(2)])
    assert (shared.value, shared.seen, shared.sessions, shared.conflict) == ("no leather", 3, 3, 0.0)


@pytest.mark.parametrize(
    "holdings",
    [
        [hold(0), hold(1)],
        [hold(0), hold(0), hold(0), hold(0)],
        [hold(0), hold(1), hold(2, confidence=0.7)],
        [hold(0), hold(1), hold(2, seen=0)],
        [hold(0, sessions=0), hold(1, sessions=0), hold(2, sessions=1)],
        [hold(0), hold(1), hold(2), hold(3, "leather"), hold(4, "leather")],
        [hold(user, knowledge_type="allergy") for user in range(4)],
    ],
)
def test_less_than_a_threshold_makes_none(holdings: Sequence[Holding]) -> None:
    assert [one for one in find_shared(holdings) if one.value == "no leather"] == []


@pytest.mark.parametrize("value", ["alice@example.com", "call +7 999", "room 2044", "x" * 81, "", {"a": 1}])
def test_a_value_that_may_tell_whose_it_is_is_never_proposed(value: Any) -> None:
    assert read_value(value) is None


@pytest.fixture
def users(alice: Chatter, monkeypatch: pytest.MonkeyPatch) -> list[UserRef]:
    """Alice and two others, whose facts agree."""
    from memory.fence.user_lock import enter_user

    tenant_id = alice.tenant.id
    alice.say("hello")
    with tenant_scope(tenant_id):
        others = [enter_user(tenant_id=tenant_id, external_id=name, now=NOW) for name in ("dora", "emil")]
        put_corpus(tenant_id=tenant_id, external_id="house", name=None, schema="documents", settings=None, now=NOW)
    people = [alice.ref, *others]

    def list_known(**_: Any) -> list[Holding]:
        return [hold(0, user_id=one.id) for one in people]

    monkeypatch.setattr(proposing, "list_holdings", list_known)
    return people


def find_proposal(tenant_id: UUID) -> PromotionProposal:
    return PromotionProposal.objects.get(tenant_id=tenant_id)


@pytest.mark.django_db
def test_an_accepted_proposal_is_a_document_that_goes_with_the_last_of_its_users(users: list[UserRef]) -> None:
    tenant_id = users[0].tenant_id
    assert proposing.propose(tenant_id=tenant_id, now=NOW) == 1
    with tenant_scope(tenant_id):
        proposal = find_proposal(tenant_id)
        assert (proposal.users, proposal.value) == (3, "no leather")
        accept(tenant_id=tenant_id, proposal_id=proposal.id, corpus="house", staff_id=1, now=NOW)
        with pytest.raises(Conflict):
            refuse(tenant_id=tenant_id, proposal_id=proposal.id, staff_id=1, now=NOW)
        assert Document.objects.get(external_id=name_document(proposal.id)).text == "hard ban: no leather"
        eraser = EvidenceEraser()
        for place, user in enumerate(users):
            assert Document.objects.filter(external_id=name_document(proposal.id)).exists()
            scope = ErasureScope(user=user, erasure_id=new_id(), is_whole=True)
            assert eraser.erase_batch(scope, limit=10) == 1 and eraser.count_left(scope) == 0
            assert PromotionEvidence.objects.count() == len(users) - place - 1
        assert not Document.objects.filter(external_id=name_document(proposal.id)).exists()
        assert not PromotionProposal.objects.exists()


@pytest.mark.django_db
def test_a_pending_proposal_dies_with_any_of_its_users(users: list[UserRef]) -> None:
    tenant_id = users[0].tenant_id
    proposing.propose(tenant_id=tenant_id, now=NOW)
    assert [row["kind"] for row in export_promotions(users[0])] == ["promotion_evidence"]
    with tenant_scope(tenant_id):
        EvidenceEraser().erase_batch(ErasureScope(user=users[1], erasure_id=new_id(), is_whole=True), limit=10)
        assert not PromotionProposal.objects.exists() and not PromotionEvidence.objects.exists()


@pytest.mark.django_db
def test_what_no_longer_holds_is_withdrawn_and_what_was_refused_stays_refused(
    users: list[UserRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant_id = users[0].tenant_id
    proposing.propose(tenant_id=tenant_id, now=NOW)
    with tenant_scope(tenant_id):
        refuse(tenant_id=tenant_id, proposal_id=find_proposal(tenant_id).id, staff_id=1, now=NOW)
    assert proposing.propose(tenant_id=tenant_id, now=NOW + timedelta(days=1)) == 0
    with tenant_scope(tenant_id):
        assert find_proposal(tenant_id).state == "refused"
        PromotionProposal.objects.update(state="pending")
    monkeypatch.setattr(proposing, "list_holdings", lambda **_: [])
    assert proposing.propose(tenant_id=tenant_id, now=NOW + timedelta(days=2)) == 0
    with tenant_scope(tenant_id):
        assert not PromotionProposal.objects.exists()


@pytest.mark.django_db
def test_facts_of_users_are_read_with_how_often_they_were_said(alice: Chatter) -> None:
    from memory.services.fact_inputs import FactInput
    from tests.api.console.conftest import state_facts

    state_facts(alice, FactInput("hard_ban", "leather", "explicit"), FactInput("body_params", "M", "explicit"))
    found = list(proposing.list_holdings(tenant_id=alice.tenant.id, now=alice.clock))
    assert {(one.knowledge_type, one.value, one.seen) for one in found} >= {("hard_ban", "leather", 0)}
