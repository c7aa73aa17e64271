"""What extraction keeps of a user goes with the user, and with the messages that it rests on."""

from collections.abc import Callable

import pytest

from memory.models import ExtractionRun, FactCandidate, ReviewSample
from memory.services.exports import export_user
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out
from tests.db.memory.extraction.conftest import ALLERGIC, WOOL, extract
from tests.scripted_model import ScriptedModel, propose

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_instant_step")]

ZARA = propose(knowledge_type="brand_preference", knowledge_key="zara", value="zara", evidence_message_ids=["m2"])


@pytest.fixture
def read_charlie(charlie: Chatter, scripted_model: Callable[..., ScriptedModel]) -> Chatter:
    charlie.say(ALLERGIC)
    charlie.say("I love Zara")
    outcome = extract(charlie, scripted_model({"operations": [WOOL, ZARA]}), draw=0.0)
    assert (outcome.applied, outcome.staged) == (1, 1)
    return charlie


def count(person: Chatter) -> list[int]:
    with tenant_scope(person.tenant.id):
        return [model.objects.count() for model in (ExtractionRun, FactCandidate, ReviewSample)]


def test_a_whole_user_takes_runs_candidates_and_samples_along(read_charlie: Chatter) -> None:
    assert count(read_charlie) == [1, 1, 1]
    assert carry_out(read_charlie, ask(read_charlie)).status == "completed"
    assert count(read_charlie) == [0, 0, 0]


def test_an_erased_message_takes_what_rests_on_it_and_the_answer_that_read_it(read_charlie: Chatter) -> None:
    erasure = ask(read_charlie, scope="messages", message_ids=(read_charlie.said[1].message_id,))
    assert carry_out(read_charlie, erasure).status == "completed"
    assert count(read_charlie) == [0, 0, 1]
    assert read_charlie.list_facts() == {("allergy", "wool"): "wool"}


def test_candidates_are_in_the_export_of_a_user(read_charlie: Chatter) -> None:
    from django.utils import timezone

    lines = b"".join(export_user(user=read_charlie.ref, now=timezone.now())).decode()
    assert '"kind": "candidate"' in lines
    assert '"knowledge_key": "zara"' in lines
