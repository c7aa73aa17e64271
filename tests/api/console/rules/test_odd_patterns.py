"""Patterns that are none, and packs that hold them: refused in words by every page that takes them."""

from __future__ import annotations

import io
import zipfile

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings

from patterns.models import Rule, RuleVersion
from tests.api.console.rules.conftest import SLUG, make_fields
from tests.unit.patterns.rules.test_lint import PATTERNS

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:Possible (nested set|set )"),
]

ODD = ("[", "\\C", "((((", "wool[", "(?P<a>b)(?P<a>c)", "(" * 5_000, "a\0b", "\\p{Foo}wool", "a{1000}{1000}")


def test_the_form_refuses_a_pattern_that_is_none(editor: Client) -> None:
    for pattern in ODD:
        answer = editor.post(reverse("console:new_rule"), make_fields(pattern=pattern))
        assert answer.status_code == 200, pattern[:12]
        assert answer.context["form"].errors, pattern[:12]
        assert not RuleVersion.objects.filter(rule__slug=SLUG).exists(), pattern[:12]


def test_the_check_beside_the_form_says_what_is_wrong(editor: Client) -> None:
    for pattern in ODD:
        answer = editor.post(reverse("console:check_rule"), make_fields(pattern=pattern))
        assert answer.status_code == 200, pattern[:12]
        assert answer.context["problems"], pattern[:12]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(PATTERNS)
def test_whatever_is_typed_is_answered(editor: Client, pattern: str) -> None:
    fields = make_fields(pattern=pattern.encode("utf-8", "replace").decode())
    assert editor.post(reverse("console:check_rule"), fields).status_code == 200


def test_a_pack_with_a_pattern_that_is_none_is_compared_and_refused(root: Client) -> None:
    before = Rule.objects.count()
    for pattern in (*ODD, "wo\ud800ol"):
        for page in ("console:packs", "console:bring_in_pack"):
            for scope in ("shared", "own"):
                answer = root.post(reverse(page), {"file": make_zip(pattern=pattern), "scope": scope}, follow=True)
                assert answer.status_code == 200, ascii(pattern[:12])
        assert Rule.objects.count() == before, ascii(pattern[:12])


@pytest.mark.parametrize("name", ["x" * 200, "half\ud800", "nul\0"], ids=["long", "half", "nul"])
def test_a_pack_with_a_name_that_can_not_be_kept_is_refused(root: Client, name: str) -> None:
    for scope in ("shared", "own"):
        upload = {"file": make_zip(slug=name, pattern="i balloon up from"), "scope": scope}
        assert root.post(reverse("console:bring_in_pack"), upload, follow=True).status_code == 200
    assert not Rule.objects.filter(slug__startswith=name[:3]).exists()


def test_a_zip_that_is_broken_inside_is_refused_in_words(root: Client) -> None:
    data = make_zip(pattern="i balloon up from").read()
    broken = data.replace(b"slug", b"slag", 1)
    answer = root.post(reverse("console:packs"), {"file": SimpleUploadedFile("p.zip", broken), "scope": "own"})
    assert answer.status_code == 200
    assert answer.context["problems"]


def make_zip(*, pattern: str, slug: str = SLUG) -> SimpleUploadedFile:
    rule = {
        "slug": slug,
        "type": "allergy",
        "language": "en",
        "pattern": pattern,
        "positive": ["i balloon up from nickel", "i balloon up from wool"],
        "negative": ["what a balloon", "my sister balloons up from nickel"],
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(
            "mine/rules.yaml", yaml.safe_dump([rule], allow_unicode=False).encode("utf-8", "surrogatepass")
        )
    return SimpleUploadedFile("mine.zip", target.getvalue())
