"""The console in a real browser: the login form, the live bench, and no page that breaks in JavaScript."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache

from memory.types import UserRef
from tests.api.console.conftest import make_staff
from tests.plugin.embedded import find_browser

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SCRIPT = Path(__file__).resolve().parents[3] / "script" / "screenshots"
NOTE_ERRORS = (
    "window.noted = []; window.addEventListener('error', e => window.noted.push(e.message));"
    "document.addEventListener('securitypolicyviolation', e => window.noted.push(e.violatedDirective + e.blockedURI));"
)


def load_script() -> Any:
    """`script/screenshots`, which knows how to talk to a browser."""
    loader = importlib.machinery.SourceFileLoader("screenshots", str(SCRIPT))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    """A headless Chromium that notes errors of every page."""
    found = find_browser()
    assert found is not None
    opened = load_script().Browser(found, str(tmp_path))
    opened.send("Page.addScriptToEvaluateOnNewDocument", source=NOTE_ERRORS)
    yield opened
    opened.close()


def wait_for(holds: Callable[[], bool], *, seconds: float = 20) -> bool:
    """Whether it comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False


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
