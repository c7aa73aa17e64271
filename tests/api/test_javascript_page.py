"""The page for JavaScript works as it is written: its plain `fetch` is run by Node against the service."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memory.types import TenantRef
from tests.caller import make_caller

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations" / "javascript.md"
NODE = shutil.which("node")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_the_fetch_of_the_page_works_as_pasted(live_server: Any, tenant: TenantRef) -> None:
    key = str(make_caller(tenant).client.defaults["HTTP_AUTHORIZATION"]).removeprefix("Bearer ")
    lines = [line[4:] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("    ")]
    fetching = "\n".join(lines).partition("import { MemoryClient }")[0]
    assert "await call(" in fetching
    asked = "console.log(JSON.stringify([pack.facts[0].value, pack.rendered.messages.at(-1).content]));"
    program = f"const KEY = {json.dumps(key)};\n{fetching}\n{asked}".replace("http://127.0.0.1:8000", live_server.url)
    assert NODE is not None
    ran = subprocess.run(
        [NODE, "--input-type=module", "-e", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    value, question = json.loads(ran.stdout)
    assert value == "M" and question.endswith("what should I wear?")
