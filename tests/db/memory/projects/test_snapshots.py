"""What a build answers is what is read of it later: nothing is read twice, and nothing differs for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memory.projects.services.decisions import put_decision
from memory.projects.services.history import add_question
from memory.projects.types import DecisionBody, ProjectRef, SourceBody, When
from memory.projects.words import ProjectWords
from memory.tenants.scope import tenant_scope
from retrieval.projects.candidates import Wanted
from retrieval.projects.reading import read_row, read_snapshot
from retrieval.projects.snapshots import build_snapshot, refresh
from tests.cast import Chatter
from tests.db.memory.projects.test_guards import decide, state

MARCH = datetime(2024, 3, 1, tzinfo=UTC)


def fill(project: ProjectRef, alice: Chatter, bob: Chatter) -> None:
    """Every kind of part: quoted and not, contradicted, superseded, worded anew, open questions of both kinds."""
    own, foreign = (
        SourceBody(type="message", ref=str(person.say(text).message_id), quote=text)
        for person, text in ((alice, "the pump is green"), (bob, "the crane is blue"))
    )
    state(project, "pump", "green", source=own, valid_from=MARCH, id="pump")
    state(project, "pump", "green", source=SourceBody(type="url", ref="https://example.com", author="Ann"))
    state(project, "crane", "blue", source=foreign, valid_from=MARCH)
    state(project, "hook", {"b": 1, "a": [2]}, source=None, valid_from=MARCH)
    for value in ("liquid", "solid"):
        state(project, "fuel", value, id=f"fuel-{value}", exclusive=True, valid_from=MARCH)
    for title in ("Paint it red", "Paint it red"):
        decide(project, title, decided_at=MARCH)
    decide(project, "Use a crane", id="crane", decided_at=MARCH)
    decide(project, "Use a crane, said anew", id="crane", decided_at=MARCH, owner="Ann")
    with tenant_scope(project.tenant_id):
        body = DecisionBody(title="Use a lift", source=own, supersedes=["crane"], decided_at=MARCH + timedelta(days=5))
        put_decision(project, body=body, origin="caller", actor="key:test", now=timezone.now())
        add_question(project, ProjectWords(project), text="Who pays?", source_id=None, at=MARCH)


@pytest.mark.django_db
def test_a_build_answers_what_is_read_of_it_later(project: ProjectRef, alice: Chatter, bob: Chatter) -> None:
    fill(project, alice, bob)
    now = timezone.now()
    kinds = set()
    with tenant_scope(project.tenant_id):
        for person in (alice, bob):
            for when in (When(), When(as_of=MARCH + timedelta(days=3)), When(known_at=now)):
                for language, query, budget in (("en", "", 2_000), ("ru", "crane of what fuel", 300)):
                    wanted = Wanted(refresh(project), person.ref.id, now, query, when, language)
                    built = build_snapshot(wanted, budget_tokens=budget)
                    assert read_snapshot(wanted.project, read_row(project, built.row.id)) == built
                    kinds |= {entry["k"] for entry in built.row.entries} | {key for e in built.row.entries for key in e}
    assert kinds >= {"fact", "decision", "event", "question", "q", "c", "u", "w"}
