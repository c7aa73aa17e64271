"""Folders and JSON Lines into a corpus; what was refused is named by its place, and a second run goes on (N-1)."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.knowledge.models import Document
from retrieval.knowledge.selectors.corpora import get_corpus, list_records
from retrieval.knowledge.services import importing

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "guides").mkdir()
    (tmp_path / "guides" / "returns.md").write_text("# Returns\n\nThirty days.\n", encoding="utf-8")
    (tmp_path / "guides" / "sizes.md").write_text("---\ntitle: 'Sizes'\n---\nA chart.\n", encoding="utf-8")
    page = "<title>Care</title><style>p {}</style><p>Wash cold.</p><script>alert(1)</script>"
    (tmp_path / "care.html").write_text(page, encoding="utf-8")
    (tmp_path / "notes.csv").write_text("not, read", encoding="utf-8")
    lines = [
        {"id": 1, "type": "Person", "name": "Alice", "edges": []},
        {"id": "plain", "text": "A document in a line."},
    ]
    (tmp_path / "people.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return tmp_path


def run(tenant: TenantRef, path: Path, **options: str) -> str:
    out = StringIO()
    slug = Tenant.objects.get(id=tenant.id).slug
    call_command("import_corpus", str(path), tenant=slug, corpus="handbook", stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def list_stored(tenant: TenantRef) -> tuple[dict[str, tuple[str, str]], list[str]]:
    with tenant_scope(tenant.id):
        corpus = get_corpus(tenant_id=tenant.id, external_id="handbook")
        documents = {each.external_id: (each.title, each.text) for each in Document.objects.filter(corpus_id=corpus.id)}
        records = list_records(corpus_id=corpus.id, after=None, limit=100)
    return documents, [each.external_id for each in records]


def test_every_file_of_a_known_kind_is_a_document_and_a_line_with_a_type_a_record(
    tenant: TenantRef, folder: Path
) -> None:
    assert run(tenant, folder).startswith("5 items added, 0 replaced, 0 unchanged, 0 refused")
    documents, records = list_stored(tenant)
    assert {name: title for name, (title, _) in documents.items()} == {
        "care.html": "Care",
        "guides/returns.md": "Returns",
        "guides/sizes.md": "Sizes",
        "plain": "",
    }
    assert records == ["1"]
    assert documents["care.html"][1] == "Wash cold."
    assert "title:" not in documents["guides/sizes.md"][1]


def test_a_run_that_broke_off_is_started_again_and_skips_what_is_there(
    tenant: TenantRef, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing.settings.UNDE_TUNING, "CORPUS_IMPORT_ITEMS", 2)
    real, calls = importing.ingest, []

    def break_off(**arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(importing, "ingest", break_off)
    with pytest.raises(CommandError) as interrupted:
        run(tenant, folder)
    assert interrupted.value.returncode == 130
    assert run(tenant, folder).startswith("3 items added, 0 replaced, 2 unchanged, 0 refused")


def test_what_does_not_fit_is_refused_by_place_and_code_and_the_rest_is_there(tenant: TenantRef, folder: Path) -> None:
    (folder / "broken.txt").write_bytes(b"\xff\xfe\xff")
    with (folder / "people.jsonl").open("a", encoding="utf-8") as lines:
        lines.write('\n{"id": "x", "secret words')
        lines.write('\n["no", "object"]')
        lines.write('\n{"id": "z", "text": "a \\u0000 b"}')
    err = StringIO()
    slug = Tenant.objects.get(id=tenant.id).slug
    with pytest.raises(CommandError):
        call_command("import_corpus", str(folder), tenant=slug, corpus="handbook", stdout=StringIO(), stderr=err)
    assert err.getvalue().split("\n")[-5:-1] == [
        "broken.txt: invalid_utf8",
        "people.jsonl:3: invalid_json",
        "people.jsonl:4: invalid_request",
        "people.jsonl:5: nul_byte",
    ]
    assert "secret" not in err.getvalue()
    assert len(list_stored(tenant)[0]) == 4


def test_a_path_or_schema_that_is_not_there_is_one_sentence(tenant: TenantRef, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="does not exist"):
        run(tenant, tmp_path / "missing")
    with pytest.raises(CommandError, match="is not a schema"):
        run(tenant, tmp_path, schema="no-such-schema")
