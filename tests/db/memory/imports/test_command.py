"""The command says what was stored, and names refused lines by number alone."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

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
