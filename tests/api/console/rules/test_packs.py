"""Packs as files in the console: away, compared, back as drafts or for all."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from memory.types import TenantRef
from patterns.models import LexiconEntry, Rule, RuleVersion
from patterns.rules.pack import PackError
from patterns.services.bundles import read_zip, write_zip
from tests.api.console.rules.conftest import SLUG, find_draft, make_fields, publish

pytestmark = pytest.mark.django_db


def make_upload(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("rules.zip", data, content_type="application/zip")


@pytest.fixture
def own_zip(editor: Client, tenant: TenantRef) -> bytes:
    """The tenant's one rule as a file, the rule itself gone again."""
    editor.post(reverse("console:new_rule"), make_fields())
    publish(editor, find_draft(), tenant)
    data = editor.get(reverse("console:download_pack", args=["own"])).content
    Rule.objects.filter(slug=SLUG).delete()
    return data


def test_the_shared_pack_comes_back_from_its_zip_as_it_went() -> None:
    pack = read_zip(write_zip(name="shared"))
    assert {rule.slug for rule in pack.rules} == {"allergy-en-word", "ban-en-order", "allergy-arabizi-word"}


def test_what_differs_is_shown_before_anything_is_brought_in(editor: Client, own_zip: bytes) -> None:
    answer = editor.post(reverse("console:packs"), {"file": make_upload(own_zip), "scope": "own"})
    assert [(row.name, row.where) for row in answer.context["rows"]] == [(SLUG, "files")]
    assert not Rule.objects.filter(slug=SLUG).exists()


def test_brought_in_for_the_tenant_what_differs_is_a_draft(editor: Client, own_zip: bytes, tenant: TenantRef) -> None:
    shown = editor.post(reverse("console:packs"), {"file": make_upload(own_zip), "scope": "own"})
    editor.post(reverse("console:bring_in_pack"), {"upload": shown.context["upload"], "scope": "shared"})
    assert find_draft().rule.tenant_id == tenant.id
    assert not RuleVersion.objects.filter(rule__slug=SLUG, state="published").exists()


def test_the_installations_staff_bring_a_pack_in_for_all(root: Client, own_zip: bytes) -> None:
    root.post(reverse("console:bring_in_pack"), {"file": make_upload(own_zip), "scope": "shared"})
    assert Rule.objects.get(slug=SLUG).tenant_id is None


def test_a_file_that_is_no_pack_is_refused_in_words(editor: Client) -> None:
    page = editor.post(reverse("console:packs"), {"file": make_upload(b"hello")}).content.decode()
    assert "this file is not a zip" in page


def test_a_zip_whose_paths_lead_out_of_its_folder_writes_nothing_there() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("../../rules.yaml", "[]")
    with pytest.raises(PackError):
        read_zip(target.getvalue())


def test_a_zip_that_is_too_large_inside_is_refused() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rules.yaml", "#" * (5 << 20))
    with pytest.raises(PackError, match="at most 4 MB"):
        read_zip(target.getvalue())


def test_files_and_rows_are_compared_by_fields_on_the_command_line(tmp_path, capsys) -> None:
    call_command("export_pack", str(tmp_path / "copy"))
    call_command("compare_pack", tmp_path / "copy")
    assert "0 differ" in capsys.readouterr().out
    entry = LexiconEntry.objects.filter(canonical="nickel", language="en").first()
    LexiconEntry.objects.filter(id=entry.id).update(aliases=[*entry.aliases, "nikkel"])
    call_command("compare_pack", tmp_path / "copy")
    out = capsys.readouterr().out
    assert "differs" in out
    assert "- nikkel" in out
