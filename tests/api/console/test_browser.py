"""The console in a real browser: the login form, the live bench, and no page that breaks in JavaScript."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from memory.types import UserRef
from tests.api.console.conftest import make_staff
from tests.browsers import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_staff_log_in_and_the_bench_answers_while_they_type(
    live_server: Any, browser: Any, known: UserRef, settings: Any
) -> None:
    cache.clear()
    make_staff("root", is_superuser=True)
    browser.open(f"{live_server.url}/admin/")
    browser.run(
        "document.querySelector('[name=username]').value = 'root';"
        "document.querySelector('[name=password]').value = 'a-long-password';"
        "document.querySelector('#login-form').submit(); true"
    )
    assert wait_for(lambda: browser.run("location.pathname === '/admin/' && document.readyState === 'complete'"))
    browser.open(f"{live_server.url}/admin/patterns/bench/")
    browser.run(
        "(() => { const box = document.querySelector('#bench-messages'); box.value = 'I am allergic to nickel';"
        " box.dispatchEvent(new Event('input', {bubbles: true})); return true; })()"
    )
    assert wait_for(lambda: browser.run("document.querySelectorAll('.bench-item').length === 1"))
    assert browser.run("document.querySelector('.bench-item mark').textContent") == "allergic to nickel"
    for path in ("", f"memory/user/{known.id}/", f"memory/user/{known.id}/messages/", "patterns/rule/new/"):
        browser.open(f"{live_server.url}/admin/{path}")
        assert browser.run("window.noted") == []
        assert browser.run("document.querySelector('#content') !== null")


def test_a_script_that_is_slipped_into_a_page_does_not_run(live_server: Any, browser: Any, known: UserRef) -> None:
    browser.open(f"{live_server.url}/admin/login/")
    browser.run(
        "(() => { const slipped = document.createElement('div');"
        " slipped.innerHTML = '<img src=x onerror=\"window.hasRun = 1\">'; document.body.append(slipped);"
        " const script = document.createElement('script'); script.textContent = 'window.hasRun = 2';"
        " document.body.append(script); return true; })()"
    )
    assert wait_for(lambda: browser.run("window.noted.filter(said => said.startsWith('script-src')).length >= 2"))
    assert browser.run("window.hasRun === undefined")


def test_the_page_of_the_document_shows_its_calls(live_server: Any, browser: Any) -> None:
    browser.open(f"{live_server.url}/v1/docs")
    assert wait_for(lambda: browser.run("document.querySelectorAll('.opblock').length > 20"))
    assert browser.run("window.noted") == []
