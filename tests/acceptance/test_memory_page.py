"""The memory page in a real browser: axe finds nothing in three languages and two themes, and it fits a phone."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.utils import timezone

from memory.erasure.worker import run_erasure
from memory.models import ErasureRequest
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from tests.browsers import wait_for
from tests.caller import Caller, make_caller
from tests.cast import Chatter

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(900),
]
ENGINE = files("axe_playwright_python") / "axe.min.js"
# From the top: further down, the tabs that stay in sight cover what is scrolled below them.
LOOK = """
(async () => {
  scrollTo({top: 0, behavior: 'instant'});
  const {violations} = await axe.run(document, {resultTypes: ['violations'], runOnly: %s});
  return violations.flatMap(one => one.nodes.map(node => [one.id, node.target.join(' '), node.failureSummary]));
})()
"""
RULES = "{type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"
PATHS = ("/memory/", "/memory/said", "/memory/episodes", "/memory/kept", "/memory/control", "/memory/erase")
HEIGHT = (
    "(() => { const frame = document.querySelector('unde-memory')?.shadowRoot?.querySelector('iframe');"
    "return frame ? frame.getBoundingClientRect().height : 0 })()"
)
PHONE = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}


@pytest.fixture
def backend(alice: Chatter) -> Caller:
    """An app with something to show of Alice, in three scripts."""
    alice.say("my size is M and I'm allergic to nickel")
    alice.say("مقاسي M بس مابي open shoulders")
    alice.say("никогда не предлагай мне шерсть")
    alice.hear("Noted.")
    backend = make_caller(alice.tenant)
    backend.post("/v1/users/alice/episodes/close")
    body = {"namespace": ["notes"], "key": "tea", "value": {"colour": "green"}}
    header = {"X-UNDE-User": "alice"}
    backend.client.put("/v1/store/items", body, content_type="application/json", headers=header)
    look = {"page_name": "Maison", "page_colour": "#ffdd00", "page_words": {"ar": "نحفظ هذا لنساعدك"}}
    Tenant.objects.filter(id=alice.tenant.id).update(settings=look)
    return backend


def open_page(browser: Any, live_server: Any, backend: Caller, **body: Any) -> None:
    """Open a link of one's own, as a person does."""
    link = backend.post("/v1/users/alice/page-links", body).json()["url"]
    browser.open(live_server.url + urlsplit(link).path)


def look(browser: Any) -> list[Any]:
    browser.run(ENGINE.read_text(encoding="utf-8") + "; true")
    return list(browser.run(LOOK % RULES))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en", "ru", "ar"])
def test_axe_finds_nothing_and_nothing_is_wider_than_a_phone(
    browser: Any, live_server: Any, backend: Caller, locale: str, theme: str
) -> None:
    browser.send("Emulation.setDeviceMetricsOverride", **PHONE)
    asked = {"user_id": "alice", "conversation_id": "new", "query": "which size and which metal?"}
    receipt = backend.post("/v1/context", asked).json()["receipt_id"]
    open_page(browser, live_server, backend, locale=locale, theme=theme)
    found: list[Any] = []
    for path in (*PATHS, f"/memory/sources/{receipt}"):
        browser.open(live_server.url + path)
        if path == "/memory/":
            browser.run("document.querySelectorAll('details').forEach(one => one.open = true)")
        found += [(path, *one) for one in look(browser)]
        assert browser.run("document.documentElement.scrollWidth <= innerWidth"), (path, locale)
        assert browser.run("window.noted") == [], path
    browser.open(live_server.url + "/memory/")
    browser.run("document.querySelector('form[action$=\"/forget\"]').submit(); true")
    browser.settle()
    found += look(browser)
    assert found == []


def test_a_fact_is_forgotten_with_the_keyboard_alone(browser: Any, live_server: Any, backend: Caller) -> None:
    open_page(browser, live_server, backend)
    before = browser.run("document.querySelectorAll('.card').length")
    browser.run("[...document.querySelectorAll('button')].find(one => one.textContent === 'Forget').focus(); true")
    press_enter(browser)
    assert browser.run("document.querySelector('h1').textContent") == "Look at what will go"
    browser.run("document.querySelector('button.danger').focus(); true")
    press_enter(browser)
    assert browser.run("document.querySelector('h1').textContent") == "Forgotten"
    browser.open(live_server.url + "/memory/")
    assert browser.run("document.querySelectorAll('.card').length") < before


def press_enter(browser: Any) -> None:
    for kind in ("keyDown", "keyUp"):
        browser.send(
            "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r"
        )
    browser.settle()


def test_the_page_of_an_erasure_says_by_itself_when_it_is_over(
    browser: Any, live_server: Any, backend: Caller, alice: Chatter, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "PAGE_REFRESH_SECONDS", 1)
    monkeypatch.setattr("config.me.doing.wake_worker", lambda: None)
    open_page(browser, live_server, backend)
    browser.open(live_server.url + "/memory/erase")
    browser.run("document.querySelector('input[name=word]').value = 'erase'; true")
    browser.run("document.querySelector('main form').submit(); true")
    browser.settle()
    assert look(browser) == []
    browser.run("window.isTheSame = true")
    with tenant_scope(alice.tenant.id):
        row = ErasureRequest.objects.get()
    run_erasure(user=UserRef(row.user_id, row.tenant_id), erasure_id=row.id, clock=timezone.now)
    assert wait_for(lambda: browser.run("document.querySelector('h1').textContent") == "Your memory is erased")
    assert browser.run("Boolean(document.querySelector('a[href$=\"certificate.json\"]')) && window.isTheSame")
    assert look(browser) == []


@pytest.fixture
def serve_app(live_server: Any) -> Iterator[Callable[[str, Caller], str]]:
    """An app of another origin with the component on its page, and a backend that makes links."""
    servers = []

    def serve(host: str, backend: Caller) -> str:
        class App(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(
                    "text/html",
                    f'<!doctype html><html lang="en"><script src="{live_server.url}/static/page/unde.js" defer></script>'
                    '<unde-memory link-from="/link"></unde-memory>',
                )

            def do_POST(self) -> None:
                link = backend.post("/v1/users/alice/page-links").json()["url"]
                self.answer("application/json", json.dumps({"url": live_server.url + urlsplit(link).path}))
                connection.close()

            def answer(self, kind: str, text: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *arguments: Any) -> None:
                pass

        server = ThreadingHTTPServer((host, 0), App)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://{host}:{server.server_port}"

    yield serve
    for server in servers:
        server.shutdown()


def test_the_component_shows_the_page_in_a_frame_as_high_as_it_is(
    browser: Any, serve_app: Callable[[str, Caller], str], backend: Caller, alice: Chatter
) -> None:
    app = serve_app("localhost", backend)
    Tenant.objects.filter(id=alice.tenant.id).update(settings={"page_origins": [app]})
    browser.open(app)
    assert wait_for(lambda: browser.run(HEIGHT) > 300)


def test_where_the_browser_keeps_no_cookies_of_frames_a_window_is_offered(
    browser: Any, serve_app: Callable[[str, Caller], str], backend: Caller, alice: Chatter
) -> None:
    app = serve_app("127.0.0.1", backend)  # another site than localhost: over plain HTTP its frame gets no cookie
    Tenant.objects.filter(id=alice.tenant.id).update(settings={"page_origins": [app]})
    browser.open(app)
    offered = "document.querySelector('unde-memory')?.shadowRoot?.querySelector('button')?.textContent"
    assert wait_for(lambda: browser.run(offered) == "Open your memory")
