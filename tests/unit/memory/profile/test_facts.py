from datetime import UTC, datetime, timedelta
from uuid import uuid4

from memory.profile.facts import get_newest, group_cards, make_card, name_state
from memory.profile.types import Cause
from memory.types import Fact

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def make_fact(value: str = "M", *, said: datetime = NOW, **more: object) -> Fact:
    return Fact(
        id=uuid4(),
        knowledge_type=more.pop("knowledge_type", "body_params"),  # type: ignore[arg-type]
        knowledge_key="size",
        value=value,
        confidence=0.95,
        extracted_from="instant_pattern",
        provenance="confirmed_by_user",
        valid_at=said,
        last_validated_at=said,
        log_position=1,
        **more,  # type: ignore[arg-type]
    )


def test_a_fact_whose_day_has_passed_is_expired_before_the_job_closes_it() -> None:
    assert name_state(make_fact(expires_at=NOW - timedelta(hours=1)), NOW) == "expired"
    assert name_state(make_fact(expires_at=NOW + timedelta(hours=1)), NOW) == "active"


def test_an_inactive_fact_says_how_it_ended() -> None:
    day = NOW - timedelta(days=1)
    assert name_state(make_fact(is_active=False, invalid_at=day, superseded_by=uuid4()), NOW) == "superseded"
    assert name_state(make_fact(is_active=False, invalid_at=day, expires_at=day), NOW) == "expired"
    assert name_state(make_fact(is_active=False, invalid_at=day), NOW) == "closed"


def test_the_active_version_stands_for_its_key_even_when_a_later_one_was_closed() -> None:
    active = make_fact("S")
    closed = make_fact("M", said=NOW + timedelta(days=1), is_active=False, invalid_at=NOW + timedelta(days=2))
    assert get_newest([closed, active]) is active


def test_a_cards_versions_are_newest_first() -> None:
    old, new = make_fact("M", said=NOW - timedelta(days=3), is_active=False, invalid_at=NOW), make_fact("S")
    card = make_card(new, [old, new], {}, {}, NOW)
    assert [version.fact.value for version in card.versions] == ["S", "M"]


def test_cards_come_in_the_products_order_of_types() -> None:
    cards = [make_card(fact, [fact], {}, {}, NOW) for fact in (make_fact(knowledge_type="allergy"), make_fact())]
    assert [group.title for group in group_cards(cards)] == ["Body params", "Allergy"]


def test_a_cause_says_what_happened_in_words() -> None:
    assert Cause("superseded", "instant", "key:0199", NOW, None).words == "replaced the previous version"
