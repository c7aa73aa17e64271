"""A directory of records with a Git history becomes decisions whose states are those of the history at any date."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.projects.importing.records import Naming, map_status, read_record
from memory.projects.selectors.decisions import DecisionFilter, list_decisions
from memory.projects.selectors.projects import get_project
from memory.projects.selectors.register import list_links
from memory.projects.selectors.sources import Reader
from memory.projects.types import When
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef

START = datetime(2020, 1, 1, 12, tzinfo=UTC)
ADR_1 = "# 1. Record decisions\n\nDate: 2020-01-01\n\n## Status\n\n{status}\n\n## Decision\n\nWe write ADRs.\n"
ADR_2 = "---\ntitle: Use PostgreSQL\nstatus: {status}\n---\n# Use PostgreSQL\n\nAs ADR-1 says, see also ADR-0003 and\nADR 9.\n\n```\nADR-4\n```\n"
ADR_3 = "# ADR-0003: Use SQLite\n\n* Status: {status}\n* Deciders: Ann, Bob\n* Supersedes: [ADR-0002](0002-postgres.md)\n\n## Context\n\nSmall.\n"


@pytest.fixture
def commit(tmp_path: Path) -> Callable[[int, dict[str, str | None]], None]:
    """Commit files on a day of the history; None deletes."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True)

    def make(day: int, files: dict[str, str | None]) -> None:
        for name, text in files.items():
            file = tmp_path / "adr" / name
            file.parent.mkdir(exist_ok=True)
            file.unlink(missing_ok=True) if text is None else file.write_text(text, encoding="utf-8")
        at = (START + timedelta(days=day)).isoformat()
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
            ("NAME", "Ann"), ("EMAIL", "ann@example.com"), ("DATE", at)
        )}  # fmt: skip
        subprocess.run(["git", "-C", str(tmp_path), "add", "-A"], check=True)
        subprocess.run(["git", "-C", str(tmp_path), "commit", "-q", "-m", "x"], check=True, env={**os.environ, **who})

    return make


def run(tenant: TenantRef, path: Path, **options: object) -> str:
    out = StringIO()
    slug = Tenant.objects.get(id=tenant.id).slug
    call_command("import_project", str(path), tenant=slug, project="adrs", stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def list_states(tenant: TenantRef, day: int) -> dict[str, tuple[str, str | None, str | None]]:
    with tenant_scope(tenant.id):
        project = get_project(tenant_id=tenant.id, external_id="adrs")
        found = list_decisions(
            project, wanted=DecisionFilter(), when=When(as_of=START + timedelta(days=day, hours=1)), now=timezone.now(),
            reader=Reader(), limit=50,
        )  # fmt: skip
    return {each.external_id: (each.state.state, each.state.source_status, each.state.superseded_by) for each in found}


@pytest.mark.django_db
def test_the_states_of_any_date_are_those_of_the_history(
    tenant: TenantRef, tmp_path: Path, commit: Callable[[int, dict[str, str | None]], None]
) -> None:
    commit(0, {"0001-record.md": ADR_1.format(status="Proposed"), "README.md": "# Decisions\n"})
    commit(2, {"0001-record.md": ADR_1.format(status="Accepted")})
    commit(4, {"0002-postgres.md": ADR_2.format(status="accepted")})
    commit(
        6, {"0002-postgres.md": ADR_2.format(status="superseded"), "0003-sqlite.md": ADR_3.format(status="accepted")}
    )
    commit(8, {"0001-record.md": None, "0001-record-decisions.md": ADR_1.format(status="Deprecated")})
    assert run(tenant, tmp_path / "adr").startswith("3 records in 6 versions: 3 decisions added, 6 states, 3 links")
    assert list_states(tenant, -1) == {}
    assert list_states(tenant, 1) == {"adr-1": ("proposed", "Proposed", None)}
    assert list_states(tenant, 5) == {
        "adr-1": ("accepted", "Accepted", None), "adr-2": ("accepted", "accepted", None)
    }  # fmt: skip
    assert list_states(tenant, 9) == {
        "adr-1": ("superseded", "Deprecated", None),
        "adr-2": ("superseded", "superseded", "adr-3"),
        "adr-3": ("accepted", "accepted", None),
    }
    with tenant_scope(tenant.id):
        project = get_project(tenant_id=tenant.id, external_id="adrs")
        links = list_links(project, reader=Reader(), limit=50)
        decisions = list_decisions(project, wanted=DecisionFilter(), now=timezone.now(), reader=Reader(), limit=50)
    assert {(link.from_name, link.to_name, link.kind, link.is_supersession) for link in links} == {
        ("adr-2", "adr-1", "analogy", False), ("adr-2", "adr-3", "analogy", False), ("adr-3", "adr-2", "refines", True)
    }  # fmt: skip
    assert [(each.title, each.owner) for each in decisions] == [
        ("Record decisions", None), ("Use PostgreSQL", None), ("Use SQLite", "Ann, Bob")
    ]  # fmt: skip
    # Again: nothing twice. Then a commit more: that alone.
    assert "0 decisions added, 0 states, 0 links; 3 were there" in run(tenant, tmp_path / "adr")
    commit(9, {"0003-sqlite.md": ADR_3.format(status="rejected")})
    assert "0 decisions added, 1 states, 0 links" in run(tenant, tmp_path / "adr")
    assert list_states(tenant, 10)["adr-3"][0] == "rejected"


@pytest.mark.django_db
def test_a_history_that_moves_removes_or_is_written_anew_has_its_own_states(
    tenant: TenantRef, tmp_path: Path, commit: Callable[[int, dict[str, str | None]], None]
) -> None:
    commit(0, {"0001-record.md": ADR_1.format(status="Proposed"), "0002-postgres.md": ADR_2.format(status="accepted")})
    commit(2, {"0001-record.md": None, "0001-moved.md": ADR_1.format(status="Accepted")})
    commit(4, {"0002-postgres.md": None})
    # A clock that went back where it was committed: what comes later in the history is not older.
    commit(3, {"0001-moved.md": ADR_1.format(status="Rejected")})
    commit(6, {"0002-postgres.md": ADR_2.format(status="proposed")})
    run(tenant, tmp_path / "adr")
    days = {day: {name: state for name, (state, *_) in list_states(tenant, day).items()} for day in (1, 2, 3, 4, 6)}
    assert days == {
        1: {"adr-1": "proposed", "adr-2": "accepted"}, 2: {"adr-1": "accepted", "adr-2": "accepted"},
        3: {"adr-1": "accepted", "adr-2": "accepted"}, 4: {"adr-1": "rejected", "adr-2": "rejected"},
        6: {"adr-1": "rejected", "adr-2": "proposed"},
    }  # fmt: skip
    # Rebased: the first two commits are gone, the rest was committed anew, all in one second.
    subprocess.run(["git", "-C", str(tmp_path), "update-ref", "-d", "HEAD"], check=True)
    for word in ("Proposed", "Accepted", "Proposed"):
        commit(5, {"0001-moved.md": ADR_1.format(status=word), "0002-postgres.md": ADR_2.format(status="accepted")})
    before = timezone.now()
    assert "are in this history no more" in run(tenant, tmp_path / "adr")
    assert list_states(tenant, 4) == {}
    assert {name: state for name, (state, *_) in list_states(tenant, 5).items()} == {
        "adr-1": "proposed", "adr-2": "accepted"
    }  # fmt: skip
    with tenant_scope(tenant.id):  # what was thought before the second import can still be asked for
        project = get_project(tenant_id=tenant.id, external_id="adrs")
        then = list_decisions(
            project, wanted=DecisionFilter(), when=When(as_of=START + timedelta(days=3), known_at=before), now=before,
            reader=Reader(), limit=50,
        )  # fmt: skip
    assert {each.external_id: each.state.state for each in then} == {"adr-1": "accepted", "adr-2": "accepted"}
    assert "0 decisions added, 0 states, 0 links; 2 were there" in run(tenant, tmp_path / "adr")


@pytest.mark.django_db
def test_a_directory_without_history_is_said_so(tenant: TenantRef, tmp_path: Path) -> None:
    (tmp_path / "0001-a.md").write_text(ADR_1.format(status="Accepted"), encoding="utf-8")
    with pytest.raises(CommandError, match="no Git history"):
        run(tenant, tmp_path)
    assert "1 records" in run(tenant, tmp_path, no_history=True)


PEP = """PEP: 586
Title: Literal Types
Author: Michael Lee <x@example.com>,
        Ivan Levkivskyi <y@example.com>
Sponsor: Guido van Rossum <guido@python.org>
Status: Final
Type: Standards Track
Requires: 484
Created: 14-Mar-2019
Replaces: 100, 101
Superseded-By: 999

Abstract
========

This PEP extends :pep:`484` and PEP 526; see PEPs 3107, 612 and the
PEP
563 text, pep-0008 and version 3.8. Not a PEP: item 44.

- PEP 1
"""
KEP = 'title: In-place\nkep-number: 1287\nauthors:\n  - "@ann"\nstatus: implementable\nreplaces:\n  - /keps/sig-node/20181106-x-0012.md\nsee-also:\n  - /keps/1\n'


def test_headers_of_peps_and_keps_are_read() -> None:
    pep = read_record("peps/pep-0586.rst", PEP, naming=Naming(("pep",)))
    assert pep is not None
    assert (pep.id, pep.title, pep.state, pep.status) == ("586", "Literal Types", "implemented", "Final")
    assert (pep.supersedes, pep.superseded_by, pep.requires) == (("100", "101"), ("999",), ("484",))
    assert set(pep.mentions) == {"484", "526", "3107", "612", "563", "8", "1"}
    assert pep.owner.startswith("Michael Lee") and pep.created is not None and pep.created.year == 2019
    kep = read_record("keps/sig-node/1287-in-place/kep.yaml", KEP, naming=Naming(("kep",)))
    assert kep is not None and (kep.id, kep.state, kep.owner) == ("1287", "accepted", "@ann")
    assert (
        read_record("keps/sig-node/1287-in-place/README.md", "# In-place\n\nText.\n", naming=Naming(("kep",))) is None
    )


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("Superseded by [ADR-12](0012-x.md)", "superseded"), ("**Accepted**", "accepted"), ("Withdrawn", "rejected"),
        ("accepted (2021-03-04)", "accepted"), ("Provisional", "proposed"), ("April Fool!", "proposed"),
        ("Implemented", "implemented"), ("Living", "accepted"), ("Deferred", "proposed"), ("Stable", "verified"),
    ],
)  # fmt: skip
def test_words_for_states_are_data(word: str, state: str) -> None:
    assert map_status(word.replace("[ADR-12](0012-x.md)", "ADR-12")) == (state, True)
    assert map_status("quarantined by the council") == ("proposed", False)
