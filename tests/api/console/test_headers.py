"""What every answer tells a browser: no script but ours, no frame, no copy in a cache."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from config.headers import API_POLICY, CONSOLE_POLICY, DOCS_POLICY
from memory.tenants.types import Role
from memory.types import UserRef

pytestmark = pytest.mark.django_db

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"
HANDLERS = "click|change|submit|load|error|input|focus|blur|key\\w+|mouse\\w+"
INLINE = re.compile(rf"<script(?![^>]*\bsrc=)[^>]*>|\son(?:{HANDLERS})\s*=|javascript:", re.IGNORECASE)


def test_pages_of_the_console_run_no_script_but_ours_and_are_framed_and_kept_by_nobody(
    log_in: Callable[[Role], Client], known: UserRef
) -> None:
    reviewer = log_in(Role.REVIEWER)
    for url in (reverse("admin:index"), reverse("console:user_facts", args=[known.id]), reverse("console:review")):
        page = reviewer.get(url)
        assert page.status_code == 200
        assert page["Content-Security-Policy"] == CONSOLE_POLICY
        assert page["X-Frame-Options"] == "DENY"
        assert page["X-Content-Type-Options"] == "nosniff"
        assert page["Referrer-Policy"] == "same-origin"
        assert page["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "no-store" in page["Cache-Control"]
        assert INLINE.search(re.sub(r"(?s)<!--.*?-->", "", page.content.decode())) is None
    assert "script-src 'self' 'unsafe-eval';" in CONSOLE_POLICY


def test_answers_of_the_api_may_run_nothing_at_all(client: Client) -> None:
    for url in ("/v1/users", "/healthz", "/v1/schema"):
        assert client.get(url)["Content-Security-Policy"] == API_POLICY
    assert client.get("/nowhere")["Content-Security-Policy"] == CONSOLE_POLICY


def test_the_page_of_the_document_has_no_script_in_it(client: Client) -> None:
    page = client.get("/v1/docs")
    assert page["Content-Security-Policy"] == DOCS_POLICY
    assert re.search(r"<script(?![^>]*\bsrc=)", page.content.decode()) is None
    script = client.get("/v1/docs?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert "SwaggerUIBundle" in script.content.decode()


STANDS_ALONE = {"page/export.html"}
"""A file that is downloaded and opened from a disk: no style sheet of ours is there, and no policy."""


def test_no_template_of_ours_holds_a_script_or_a_style_of_its_own() -> None:
    found = {
        str(path.relative_to(TEMPLATES)): match[0]
        for path in TEMPLATES.rglob("*.html")
        if (match := INLINE.search(path.read_text(encoding="utf-8")) or re.search("<style", path.read_text("utf-8")))
    }
    assert set(found) - STANDS_ALONE == set()
