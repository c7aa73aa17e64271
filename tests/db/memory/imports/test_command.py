"""The command says what was stored, and names refused lines by number alone."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from memory.management.commands import import_memory
from memory.tenants.models import Tenant
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def test_the_command_stores_what_it_can_and_ends_with_an_error_for_the_rest(alice: Chatter, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(
        '{"role":"user","content":"my size is M","timestamp":1735689600}\n{"role":"user","content":"secret"}\n'
    )
    out = StringIO()
    slug = Tenant.objects.get(id=alice.tenant.id).slug
    with pytest.raises(CommandError, match="1 lines were refused"):
        call_command(
            "import_memory", "--tenant", slug, "--user", "alice", "--format", "jsonl", str(file), stdout=out, stderr=out
        )
    assert "1 messages" in out.getvalue() and "line 2: invalid_request timestamp" in out.getvalue()
    assert "secret" not in out.getvalue()
    assert alice.list_facts() == {("body_params", "size"): "M"}


def test_a_long_import_says_how_far_it_is(
    alice: Chatter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(import_memory, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(settings.UNDE_TUNING, "MAX_BATCH_MESSAGES", 2)
    line = '{"role": "user", "content": "hello %d", "timestamp": "2026-01-01T00:00:0%d+00:00"}\n'
    file = tmp_path / "chat.jsonl"
    file.write_text("".join(line % (number, number) for number in range(4)))
    out = StringIO()
    slug = Tenant.objects.get(id=alice.tenant.id).slug
    named = ["--tenant", slug, "--user", "alice", "--format", "jsonl", str(file)]
    call_command("import_memory", *named, stdout=out, stderr=out)
    assert out.getvalue().splitlines()[:2] == ["2 lines, 50 %", "4 lines, 100 %"]


def test_a_database_that_goes_away_is_said_in_a_sentence(
    alice: Chatter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(**_: Any) -> None:
        raise OperationalError("terminating connection: my size is M")

    monkeypatch.setattr(import_memory, "import_file", lose)
    file = tmp_path / "chat.jsonl"
    file.write_text("{}")
    slug = Tenant.objects.get(id=alice.tenant.id).slug
    with pytest.raises(CommandError, match=r"^database_unavailable: ") as ended:
        call_command("import_memory", "--tenant", slug, "--user", "alice", "--format", "jsonl", str(file))
    assert ended.value.__suppress_context__
