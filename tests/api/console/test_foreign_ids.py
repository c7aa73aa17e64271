"""Every address of the console, with the ids of another tenant in it: nothing is shown, nothing changes (SPEC A-1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from typing import Any, Final

import pytest
from django.apps import apps
from django.db import models
from django.test import Client
from django.utils import timezone

from corrections.backtests.running import request_backtest, run_backtest
from corrections.models import Backtest, BacktestSample, CorrectionLog
from corrections.models.review import ReviewItem
from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.extraction.quality.intervals import measure_precision
from memory.extraction.quality.switches import quarantine_slice
from memory.extraction.unproven import candidates, items
from memory.ids import new_id
from memory.models import AdaptiveItem, ExtractionRun, FactCandidate, FactRow
from memory.sealing.vault import UserVault
from memory.services.exports import export_user
from memory.services.forgets import forget_messages
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.keys import create_key
from memory.tenants.types import Actor, ActorType, Role, Scope
from memory.types import TenantRef
from memory.withdrawals.jobs import request_preview
from patterns.models import RuleVersion
from patterns.services.publishing import save_rule_draft
from retrieval.pipeline import search_messages
from retrieval.types import SearchQuery
from tests.api.console.conftest import make_staff
from tests.api.console.test_wrong_ids import CONVERTER, list_all_routes
from tests.cast import Chatter
from tests.db.patterns.conftest import make_balloon_rule

pytestmark = pytest.mark.django_db

MARKER: Final = "zanzibarsilk"
STAFF: Final = Actor(type=ActorType.STAFF, id="1")
# What is said in an address beside ids; a name that is not here gets ids of everything that the other tenant has.
WORDS: Final = {
    "kind": ("rule", "entry"), "verb": ("accept", "dismiss", "confirm", "retract", "dispute"), "number": ("1",),
    "name": ("negator",), "language": ("en",), "scope": ("own",), "form": ("instant",),
}  # fmt: skip
NOT_WALKED: Final = ("admin/login/", "admin/logout/", "admin/password_change/", "admin/jsi18n/", "admin/auth/")
REFUSED: Final = (403, 404, 405)


@dataclass
class Victim:
    """Another tenant with something of every kind."""

    person: Chatter
    rows: dict[str, list[str]]
    """Primary keys by model, such as `memory.message`."""

    def list_values(self, route: str, name: str) -> list[str]:
        """What to put into a route in place of a name."""
        if name in WORDS:
            return list(WORDS[name])
        model = ".".join(route.split("/")[1:3]) if name == "object_id" else NAMES.get(name, "")
        model = "memory.adaptiveitem" if "/items/" in route and name == "item_id" else model
        return self.rows.get(model) or [pk for pks in self.rows.values() for pk in pks]


NAMES: Final = {
    "user_id": "memory.user", "message_id": "memory.message", "fact_id": "memory.factrow",
    "correction_id": "corrections.correctionlog", "receipt_id": "retrieval.retrievalreceipt",
    "candidate_id": "memory.factcandidate", "quarantine_id": "memory.extractionquarantine",
    "rule_id": "patterns.rule", "entry_id": "patterns.lexiconentry", "job_id": "memory.factjob",
    "backtest_id": "corrections.backtest", "sample_id": "corrections.backtestsample", "key_id": "tenants.apikey",
    "item_id": "corrections.reviewitem", "version_id": "patterns.ruleversion", "row_id": "patterns.rule",
}  # fmt: skip


@pytest.fixture
def victim(other_tenant: TenantRef) -> Victim:
    """A person of the other tenant who has said something, and everything that comes of it."""
    person, now = Chatter(other_tenant, f"zed-{MARKER}"), timezone.now()
    person.say(f"my size is M, and I like {MARKER}")
    person.say("i balloon up from nickel")
    person.say("I'm allergic to wool")
    person.hear("You're allergic to wool, so I left wool out.")
    person.say("no, i'm not allergic to wool")
    person.say(f"forget that {MARKER}")
    forget_messages(user=person.ref, message_ids=[person.said[-1].message_id], actor="key:test", now=now)
    gone = Chatter(other_tenant, f"gone-{MARKER}")
    gone.say("hello")
    target = {"target": ErasureTarget(), "reason": "user_request", "actor": "key:test", "now": now}
    request_erasure(tenant=other_tenant, user_external_id=gone.name, **target)
    make_staff("theirs", tenant=other_tenant, role=Role.REVIEWER)
    with tenant_scope(other_tenant.id):
        search_messages(SearchQuery(user=person.ref, text=MARKER), now=now)
        create_key(
            tenant=Tenant.objects.get(id=other_tenant.id), name=MARKER, scopes=[Scope.READ], actor=STAFF, now=now
        )
        quarantine_slice(
            tenant_id=other_tenant.id, slice_name="type", value=MARKER, now=now,
            precision=measure_precision(right=1, judged=40),
        )  # fmt: skip
        learn(person)
        make_rule(person)
    return Victim(person, list_rows(other_tenant))


def learn(person: Chatter) -> None:
    """What extraction and review leave behind."""
    user, now, said = person.ref, timezone.now(), person.said[0].message_id
    vault = UserVault(user_id=user.id)
    owner: dict[str, Any] = {"tenant_id": user.tenant_id, "user_id": user.id, "evidence_message_ids": [said]}
    run = ExtractionRun.objects.create(
        id=new_id(), tenant_id=user.tenant_id, user_id=user.id, status="done", triggered_by="manual", claimed_at=now,
        next_at=now, finished_at=now,
    )  # fmt: skip
    times = {"first_said_at": now, "last_said_at": now, "created_at": now, "updated_at": now}
    kept = {"run_id": run.id, "confidence": 0.5, "expires_at": now + timedelta(days=9), **times}
    for model, purpose, more in (
        (FactCandidate, candidates.PURPOSE, {"kind": "second_evidence", "status": "open", "knowledge_type": "allergy"}),
        (AdaptiveItem, items.PURPOSE, {"item_type": "preference", "status": "active"}),
    ):
        sealed = vault.seal({"key": MARKER, "value": MARKER}, purpose=purpose)
        model.objects.create(
            id=new_id(), key_hash=vault.fingerprint("allergy", MARKER), sealed=sealed, **owner, **kept, **more
        )
    fact = FactRow.objects.filter(user_id=user.id).first()
    ReviewItem.objects.create(
        id=new_id(), source="instant", operation="add", fact_id=fact.id, knowledge_type="body_params", language="en",
        rule="rule-1", rule_version=1, created_at=now, **owner,
    )  # fmt: skip


def make_rule(person: Chatter) -> None:
    """A rule of the tenant's own, tried on its messages."""
    tenant_id, now = person.tenant.id, timezone.now()
    version = save_rule_draft(make_balloon_rule(), tenant_id=tenant_id, changed_by="staff:1")
    asked = {"requested_by": "staff:1", "now": now}
    row = request_backtest(tenant_id=tenant_id, version=version, messages_per_language=100, **asked)
    run_backtest(tenant_id=tenant_id, backtest_id=row.id, clock=timezone.now)
    request_preview(tenant_id=tenant_id, rule=version.rule.slug, has_all_users=False, **asked)


def list_rows(tenant: TenantRef) -> dict[str, list[str]]:
    """Keys of some rows of every table that has a tenant."""
    rows = {}
    with tenant_scope(tenant.id):
        for model in apps.get_models():
            if any(field.name in ("tenant_id", "tenant") for field in model._meta.fields):
                found = model._default_manager.filter(tenant_id=tenant.id).values_list("pk", flat=True)[:2]
                rows[model._meta.label_lower] = [str(pk) for pk in found]
        versions = RuleVersion.objects.filter(rule__tenant_id=tenant.id).values_list("pk", flat=True)
        rows["patterns.ruleversion"] = [str(pk) for pk in versions]
    rows["tenants.tenant"] = [str(tenant.id)]
    return {name: pks for name, pks in rows.items() if pks}


def list_addresses(victim: Victim) -> Iterator[str]:
    """Every route with an id in it, filled with ids of the other tenant."""
    for route in list_all_routes():
        names = [match[1] for match in CONVERTER.findall(route)]
        if all(name in WORDS for name in names) or route.startswith(NOT_WALKED):
            continue
        words = list(product(*(WORDS[name] for name in names if name in WORDS)))
        ids = {name: victim.list_values(route, name) for name in names if name not in WORDS}
        for said, turn in product(words, range(max(map(len, ids.values())))):
            values = iter(said)
            found = {name: next(values) if name in WORDS else ids[name][turn % len(ids[name])] for name in names}
            yield fill_names(route, found)


def fill_names(route: str, values: dict[str, str]) -> str:
    return "/" + CONVERTER.sub(lambda match: values[match[2]], route)


def snapshot(victim: Victim) -> tuple[bytes, dict[str, int]]:
    """All that is held about the other tenant's person, but for the moment of the export, and how much of each."""
    tenant_id = victim.person.tenant.id
    with tenant_scope(tenant_id):
        counts = {
            model._meta.label: model._default_manager.filter(tenant_id=tenant_id).count()
            for model in apps.get_models()
            if isinstance(getattr(model, "tenant_id", None), models.query_utils.DeferredAttribute)
        }
        return b"".join(list(export_user(user=victim.person.ref, now=timezone.now()))[1:]), counts


@pytest.fixture
def browsers(tenant: TenantRef, alice: Chatter) -> dict[Role, Client]:
    """A browser of each role, in a tenant with a person of its own."""
    alice.say("my size is M")
    found = {role: Client(raise_request_exception=False) for role in Role}
    for role, client in found.items():
        client.force_login(make_staff(f"walker-{role.value}", tenant=tenant, role=role))
    return found


def test_the_other_tenant_has_something_of_every_kind(victim: Victim) -> None:
    assert set(NAMES.values()) - {"patterns.lexiconentry"} <= set(victim.rows)
    with tenant_scope(victim.person.tenant.id):
        assert CorrectionLog.objects.exists()
        assert Backtest.objects.filter(state="done").exists()
        assert BacktestSample.objects.exists()


def test_ids_of_another_tenant_open_no_page_and_move_nothing(browsers: dict[Role, Client], victim: Victim) -> None:
    before, opened = snapshot(victim), []
    for address, (role, browser) in product(list(list_addresses(victim)), browsers.items()):
        for send in (browser.get, browser.post):
            answer = send(address)
            if answer.status_code not in REFUSED or MARKER in answer.content.decode():
                opened.append((role.value, send.__name__, address, answer.status_code))
    assert opened == []
    assert snapshot(victim) == before


def test_ids_of_another_tenant_in_questions_and_forms_tell_and_move_nothing(
    browsers: dict[Role, Client], victim: Victim, alice: Chatter
) -> None:
    before = snapshot(victim)
    fields: dict[str, Any] = {name: victim.list_values("", name) for name in NAMES}
    fields |= {"item": fields["item_id"], "judged": fields["item_id"]}
    fields |= {"copy": fields["rule_id"], "tenant": str(victim.person.tenant.id), "token": str(new_id())}
    fields |= {"after": fields["message_id"], "before": fields["message_id"], "verdict": "correct"}
    routes = [
        route
        for route in list_all_routes()
        if not route.startswith(NOT_WALKED) and {match[1] for match in CONVERTER.findall(route)} <= {"user_id"}
    ]
    told = []
    for route, (role, browser) in product(routes, browsers.items()):
        address = fill_names(route, {"user_id": str(alice.ref.id)})
        for send in (browser.get, browser.post):
            answer = send(address, fields)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            if answer.status_code >= 500 or MARKER in body.decode():
                told.append((role.value, send.__name__, address, answer.status_code))
    assert told == []
    assert snapshot(victim) == before


def test_nobody_of_a_tenant_switches_to_another(browsers: dict[Role, Client], other_tenant: TenantRef) -> None:
    for browser in browsers.values():
        browser.post("/admin/tenant/", {"tenant": str(other_tenant.id)})
        assert browser.get("/admin/").context["request"].staff_access.tenant.id != other_tenant.id
