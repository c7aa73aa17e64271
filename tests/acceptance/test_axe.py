"""axe-core finds nothing on any page of the console, in light and dark; the pages are found by their links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
import pytest
from django.conf import settings
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone

from corrections.review.sampling import sample_recent
from memory.services.fact_inputs import FactInput
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from patterns.rules.pack import SHIPPED, load_pack
from retrieval.knowledge.ingest.types import DocumentBody, RecordBody
from retrieval.knowledge.models import Entity
from retrieval.knowledge.planning.editing import add_draft
from retrieval.knowledge.planning.plans import list_current_intents
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.ingesting import ingest
from retrieval.knowledge.services.registry import Person, decide_name
from tests.api.console.conftest import make_staff, state_facts
from tests.api.console.test_projects import make_apollo
from tests.cast import Chatter
from tests.packs import bring_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(1800),  # a hundred pages, each looked at twice
]

ENGINE = files("axe_playwright_python") / "axe.min.js"
# What a page has of its theme is a class on <html>: one load serves both. In dark only colours are looked at again.
# Nothing moves: a colour that fades in over a third of a second would have to be waited for.
# Rows of a list are alike: ten of them say what a hundred would, and axe's time grows faster than their number.
LOOK = """
(async () => {
  for (const list of document.querySelectorAll('main tbody, main ul'))
    for (const row of [...list.children].slice(10)) row.remove();
  for (const table of [...document.querySelectorAll('main .word-lists')].slice(10)) table.remove();
  for (const list of document.querySelectorAll('main table'))  // a list of Django's has a body for each row
    for (const row of [...list.tBodies].slice(10)) row.remove();
  const still = new CSSStyleSheet();
  still.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  const found = [];
  for (const theme of ['light', 'dark']) {
    document.documentElement.classList.toggle('dark', theme === 'dark');
    const only = theme === 'dark' ? {runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}} : {};
    const {violations} = await axe.run(document, {resultTypes: ['violations'], ...only});
    for (const one of violations)
      for (const node of one.nodes) found.push([theme, one.id, node.target.join(' '), node.failureSummary]);
  }
  return found;
})()
"""
LINKS = "[...document.querySelectorAll('a[href]')].map(link => link.href)"
LEFT_OUT = {"admin:logout", "admin:jsi18n", "console:export_verdicts", "console:export_cases", "console:export_golden"}
"""No pages: they end the session, or answer with a file."""


class Walk:
    """A staff user who follows every link, to one page of each kind."""

    def __init__(self, browser: Any, url: str) -> None:
        self.browser = browser
        self.url = url
        self.seen: dict[str, str] = {}
        self.found: list[str] = []

    def follow(self, path: str) -> None:
        """Look at a page, and at all that it leads to."""
        waiting = [path]
        while waiting:
            path = waiting.pop(0)
            name = self.find_name(path)
            if name is not None and name not in self.seen:
                self.seen[name] = path
                waiting += self.look(name, path)

    def find_name(self, path: str) -> str | None:
        """The name of the page behind a path; None for what is no page of the console."""
        try:
            match = resolve(urlsplit(path).path)
        except Resolver404:
            return None
        is_page = urlsplit(path).path.startswith("/admin/") and match.view_name not in LEFT_OUT
        return match.view_name if is_page and ".jsonl" not in path else None

    def look(self, name: str, path: str) -> list[str]:
        """Note what axe finds on a page; the paths that it links to."""
        self.browser.open(self.url + path)
        links = self.browser.run(LINKS) or []
        self.note(name)
        return [link.removeprefix(self.url) for link in links if link.startswith(self.url)]

    def note(self, name: str) -> None:
        """Ask axe about what is on the screen."""
        self.browser.run(ENGINE.read_text(encoding="utf-8") + "; true")
        for theme, rule, target, summary in self.browser.run(LOOK):
            self.found.append(f"{name} ({theme}): {rule} at {target}: {' '.join(summary.split())[:300]}")


def fill_corpus(tenant_id: UUID, now: datetime) -> None:
    """A corpus with edges, a name of two entities, one name in two scripts, a decision and a draft of a plan."""
    records = json.loads((Path(__file__).parents[1] / "data/knowledge_portfolio.json").read_text())["records"]
    names = [
        ("x1", "Скайнет", []),
        ("x2", "Skynet", []),
        ("x3", "Orion Labs", ["Orion"]),
        ("x4", "Orion Group", ["Orion"]),
    ]
    records += [{"id": one, "type": "Company", "name": name, "aliases": more} for one, name, more in names]
    documents = [DocumentBody(id="news", title="News", text="В Skynet пришёл новый директор. Orion растёт.")]
    with tenant_scope(tenant_id):
        put_corpus(tenant_id=tenant_id, external_id="cv", name="Portfolio", schema="portfolio", settings=None, now=now)
        bodies = [msgspec.convert(record, RecordBody) for record in records]
        ingest(tenant_id=tenant_id, corpus="cv", documents=documents, records=bodies, now=now)
        corpus = get_corpus(tenant_id=tenant_id, external_id="cv")
        add_draft(corpus, intents=list_current_intents(corpus), note="as shipped", staff_id=None, now=now)
        person = Person(staff_id=1, now=now, reason="told so")
        entity = Entity.objects.get(corpus_id=corpus.id, key="t2")
        decide_name(tenant_id=tenant_id, corpus="cv", entity_id=entity.id, text="Тедва", is_name=True, person=person)


@pytest.fixture
def walk(browser: Any, live_server: Any, alice: Chatter) -> Iterator[Walk]:
    """Somebody with every role, in a tenant where there is something to see on every page."""
    bring_in(load_pack(SHIPPED))
    alice.hear("Tell me about yourself")
    for text in ("I'm allergic to nickel", "My size is M", "at my wedding on 5 May I never wear leather"):
        alice.say(text)
    alice.hear("I remember that you wear M.")
    alice.say("No, that's wrong, my size is L")
    state_facts(alice, FactInput("budget", 500, "explicit"))
    make_apollo(alice.tenant)
    now = timezone.now()
    fill_corpus(alice.tenant.id, now)
    for source in ("instant", "correction", "message"):
        sample_recent(tenant_id=alice.tenant.id, source=source, count=9, since=alice.clock.replace(year=2020), now=now)
    person = make_staff("everybody", is_superuser=True)
    make_staff("reviewer", tenant=alice.tenant, role=Role.REVIEWER)
    client = Client()
    client.force_login(person)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    wide = {"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.send("Emulation.setDeviceMetricsOverride", **wide)
    walking = Walk(browser, live_server.url)
    walking.look("admin:login", "/admin/login/")
    browser.send("Network.enable")
    browser.send("Network.setCookie", name=settings.SESSION_COOKIE_NAME, value=cookie, url=live_server.url)
    yield walking


def test_axe_finds_nothing_on_the_pages_of_a_project(walk: Walk) -> None:
    links = walk.look("projects", reverse("console:projects"))
    page = next(link for link in links if walk.find_name(link) == "console:project")
    for link in walk.look("project", page):
        if (walk.find_name(link) or "").startswith("console:project_"):
            walk.look(str(walk.find_name(link)), link)
    asked = page + "context/?query=which+fuel&user=alice"
    walk.look("a context explained", asked)
    assert walk.found == [], "\n".join(walk.found)


def test_axe_finds_nothing_on_any_page_in_light_and_dark(walk: Walk) -> None:
    walk.follow("/admin/")
    walk.look("not found in the console", f"/admin/review/queue/{UUID(int=0)}/")
    walk.look("not found", "/nowhere/")
    walk.look("a sheet", reverse("console:review"))
    walk.browser.run("document.querySelector('#review-guide').showModal(); true")
    walk.note("the open sheet")
    assert walk.found == [], "\n".join(walk.found)
    assert len(walk.seen) >= 75
