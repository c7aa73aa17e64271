"""How often users correct memory, as the start page and the alerts ask."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from corrections.selectors.log import CorrectionFilter, list_corrections
from corrections.selectors.rates import (
    count_batch_facts,
    list_daily_corrections,
    list_rates_by_language,
)
from corrections.services.log import CorrectionNotFound, set_golden_status
from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from tests.cast import DUBAI, Chatter

pytestmark = pytest.mark.django_db

SPAN = {"since": timezone.now() - timedelta(days=7), "until": timezone.now() + timedelta(days=1)}


@pytest.fixture
def corrected(alice: Chatter) -> Chatter:
    """Alice denied a size in English, then asked in Russian where an allergy came from."""
    alice.say("My size is M")
    alice.hear("You are size M")
    alice.say("no, that's wrong")
    alice.say("У меня аллергия на шёлк и шерсть")
    alice.hear("У тебя аллергия на шёлк и шерсть")
    alice.say("с чего ты взяла?")
    return alice


def test_days_count_correcting_messages_and_their_effects(corrected: Chatter) -> None:
    with tenant_scope(corrected.tenant.id):
        rows = list_daily_corrections(tenant_id=corrected.tenant.id, zone=DUBAI, **SPAN)
    counted = [(r.language, r.correction_type, r.corrections, r.facts_deactivated) for r in rows]
    assert counted == [("en", "user_denied", 1, 1), ("ru", "ambiguous", 1, 0)]


def test_a_rate_is_corrections_over_user_messages_of_that_language(corrected: Chatter) -> None:
    with tenant_scope(corrected.tenant.id):
        rates = {row.language: row for row in list_rates_by_language(tenant_id=corrected.tenant.id, **SPAN)}
    assert (rates["en"].user_messages, rates["en"].corrections, rates["en"].rate) == (2, 1, 0.5)
    assert (rates["ru"].user_messages, rates["ru"].corrections) == (2, 1)


def test_facts_of_the_instant_step_are_no_batch_facts(corrected: Chatter) -> None:
    with tenant_scope(corrected.tenant.id):
        assert count_batch_facts(tenant_id=corrected.tenant.id, **SPAN) == (0, 0)


def test_a_reviewer_takes_a_correction_as_a_golden_case(corrected: Chatter) -> None:
    tenant = corrected.tenant.id
    with tenant_scope(tenant):
        rows = list_corrections(tenant_id=tenant, wanted=CorrectionFilter(language="en"), limit=10)
        set_golden_status(user=corrected.ref, correction_id=rows[0].id, status="accepted")
        accepted = list_corrections(tenant_id=tenant, wanted=CorrectionFilter(golden_status="accepted"), limit=10)
        left = list_corrections(tenant_id=tenant, wanted=CorrectionFilter(golden_status="candidate"), limit=10)
    assert [row.id for row in accepted] == [rows[0].id]
    assert len(left) == 2


def test_an_unknown_correction_or_status_is_refused(corrected: Chatter) -> None:
    user = corrected.ref
    with tenant_scope(corrected.tenant.id):
        with pytest.raises(CorrectionNotFound):
            set_golden_status(user=user, correction_id=new_id(), status="accepted")
        with pytest.raises(ValueError, match="golden status"):
            set_golden_status(user=user, correction_id=new_id(), status="perhaps")


def test_the_command_prints_the_rate_on_the_labelled_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check_corrections", "--min-exact", "0.9")
    printed = capsys.readouterr().out
    assert printed.startswith("exact ")
    assert "by expected action" in printed
    assert "arabizi" in printed
