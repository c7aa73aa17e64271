"""manage.py export_memory writes what the API streams, and import_memory takes it."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.management.commands import export_memory
from memory.tenants.models import Tenant
from memory.types import TenantRef
from tests.caller import make_caller
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def export(slug: str, user: str, file: Path) -> list[dict[str, Any]]:
    call_command("export_memory", "--tenant", slug, "--user", user, str(file), stderr=StringIO())
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def list_kind(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The lines of a kind without the ids that are given anew in another tenant."""
    given_anew = {"tenant_id", "user_id", "conversation_id"}
    return [{name: line[name] for name in line if name not in given_anew} for line in lines if line["kind"] == kind]


def get_slug(tenant: TenantRef) -> str:
    return Tenant.objects.get(id=tenant.id).slug


def test_the_file_holds_the_lines_that_the_api_streams(alice: Chatter, tmp_path: Path) -> None:
    for text in ("У меня аллергия на никель", "my size is M"):
        alice.say(text)
    lines = export(get_slug(alice.tenant), "alice", tmp_path / "alice.jsonl")
    answer = make_caller(alice.tenant).get("/v1/users/alice/export")
    assert lines[1:] == [json.loads(line) for line in answer.getvalue().splitlines()][1:]
    assert {line["kind"] for line in lines} >= {"export", "user", "message", "fact"}
    assert (tmp_path / "alice.jsonl").stat().st_mode & 0o077 == 0


def test_what_is_exported_and_imported_elsewhere_is_the_same_memory(
    alice: Chatter, other_tenant: TenantRef, tmp_path: Path
) -> None:
    for text in ("У меня аллергия на никель", "my size is M", "my size is L now"):
        alice.say(text)
    there = export(get_slug(alice.tenant), "alice", tmp_path / "there.jsonl")
    slug = get_slug(other_tenant)
    named = ("--tenant", slug, "--user", "moved", "--format", "unde")
    call_command("import_memory", *named, str(tmp_path / "there.jsonl"), stdout=StringIO(), stderr=StringIO())
    here = export(slug, "moved", tmp_path / "here.jsonl")
    for kind in ("message", "fact"):
        assert list_kind(here, kind) == list_kind(there, kind) != []


@pytest.mark.parametrize(
    ("slug", "user", "said"), [("nowhere", "alice", "There is no tenant"), ("", "nobody", "not_found")]
)
def test_who_is_not_there_is_said_in_a_sentence(
    alice: Chatter, tmp_path: Path, slug: str, user: str, said: str
) -> None:
    alice.say("hello")
    with pytest.raises(CommandError, match=said):
        export(slug or get_slug(alice.tenant), user, tmp_path / "none.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_named(alice: Chatter, tmp_path: Path) -> None:
    alice.say("hello")
    with pytest.raises(CommandError, match=r"missing/alice\.jsonl cannot be written: No such file"):
        export(get_slug(alice.tenant), "alice", tmp_path / "missing" / "alice.jsonl")


def test_an_export_that_breaks_off_leaves_the_file_of_before(
    alice: Chatter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.say("hello")
    file = tmp_path / "alice.jsonl"
    before = export(get_slug(alice.tenant), "alice", file)

    def break_off(**_: Any) -> Any:
        yield b"{}\n"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_memory, "export_user", break_off)
    with pytest.raises(CommandError, match="No space left on device"):
        export(get_slug(alice.tenant), "alice", file)
    assert [json.loads(line) for line in file.read_text().splitlines()] == before
    assert list(tmp_path.iterdir()) == [file]
