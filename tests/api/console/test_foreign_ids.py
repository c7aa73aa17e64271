"""Every address of the console with ids of another tenant: nothing is shown of it, nothing of it changes (SPEC A-1).

The walk takes each route from the resolver and fills it with rows of the kinds that it is for. A new route whose
parameters are not in the tables below fails the first test, which says what to add.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final

import pytest
from django.contrib import admin
from django.db import connection

from memory.tenants.admin_base import UserRowsAdmin
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.api.console.everything import WORD, Ids, make_everything
from tests.api.console.test_wrong_ids import CONVERTER, ask, is_refused, list_all_routes, list_routes, log_in_as
from tests.api.test_isolation import list_tenant_tables
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db

# What a parameter names: kinds of `make_everything`. A parameter may be for rows of several kinds or states.
KINDS: Final[dict[str, tuple[str, ...]]] = {
    "user_id": ("user",),
    "message_id": ("message", "forgotten message"),
    "fact_id": ("fact",),
    "episode_id": ("episode",),
    "correction_id": ("correction",),
    "candidate_id": ("candidate",),
    "item_id": ("item", "adaptive item"),
    "quarantine_id": ("quarantine",),
    "warning_id": ("warning",),
    "receipt_id": ("receipt",),
    "rule_id": ("rule",),
    "entry_id": ("entry", "phrases"),
    "row_id": ("rule", "entry"),
    "version_id": ("rule version", "entry version"),
    "backtest_id": ("backtest", "stopped backtest", "queued backtest"),
    "sample_id": ("sample",),
    "job_id": ("close done", "close cancelled", "preview done", "preview queued"),
    "corpus_id": ("corpus",),
    "entity_id": ("entity",),
    "action_id": ("decision",),
    "plan_id": ("plan",),
    "proposal_id": ("proposal",),
    "project_id": ("project",),
    "conflict_id": ("conflict",),
    "endpoint_id": ("webhook",),
    "delivery_id": ("delivery",),
    "key_id": ("key",),
    "import_id": ("import",),
    "id": ("staff",),
}
NOBODYS: Final = "of the installation"
# What `object_id` names in the lists of the admin. Rows of the installation belong to no tenant: an id of another
# tenant's user is tried there once, as one that names nothing.
OBJECTS: Final[dict[str, str]] = {
    "auth/user": "staff",
    "corrections/correctionlog": "correction",
    "django_celery_beat/crontabschedule": NOBODYS,
    "django_celery_beat/intervalschedule": NOBODYS,
    "django_celery_beat/periodictask": NOBODYS,
    "django_celery_results/taskresult": NOBODYS,
    "imports/importrun": "import",
    "memory/action": "action",
    "memory/erasurerequest": "erasure",
    "memory/extractionrun": "run",
    "memory/factrow": "fact",
    "memory/forgetbatch": "forget batch",
    "memory/message": "message",
    "memory/user": "user",
    "outbox/webhookdelivery": "delivery",
    "outbox/webhookendpoint": "webhook",
    "patterns/lexiconentry": "entry",
    "patterns/rejectioncount": "refusals",
    "patterns/replyphrases": "phrases",
    "patterns/rule": "rule",
    "r/<path:content_type_id>": NOBODYS,
    "privacy/privacyrequest": "privacy request",
    "retrieval/embeddingmodel": NOBODYS,
    "retrieval/embeddingtask": "embedding task",
    "retrieval/retrievalreceipt": "receipt",
    "tenants/apikey": "key",
    "tenants/auditevent": "audit event",
    "tenants/staffmembership": "membership",
    "tenants/tenant": "tenant",
}
# Parameters that are words: what is done, and which page.
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "verb": ("keep", "release", "confirm", "dispute", "retract", "accept", "dismiss", "withdraw"),
    "key": ("advice",),
    "action": ("test", "enable", "disable"),
    "kind": ("rule", "entry"),
    "number": ("1",),
    "name": ("fabric",),
    "language": ("en",),
    "scope": ("own",),
    "form": ("instant",),
    "content_type_id": ("1",),
}
HINT: Final = (
    "Say in KINDS, OBJECTS or WORDS of this module what these parameters name, and make such a row in "
    "tests/api/console/everything.py: "
)
ONLY_SENT_TO: Final = "admin/memory/user/<uuid:user_id>/corrections/<uuid:correction_id>/"
"""A page that shows nothing by itself: what is sent there says what is to be done."""
FORM: Final = {
    "verb": "accept", "corpus": WORD, "keep": "1", "percent": "10", "messages": "10", "status": "accepted",
    "query": WORD, "reason": WORD, "confirm": "yes", "post": "yes", "verdict": "correct", "intents": "[]",
}  # fmt: skip


def get_model(route: str) -> str:
    """What stands before `object_id` in a route of the admin."""
    return route.removeprefix("admin/").split("/<path:object_id>")[0]


def list_pageless() -> set[str]:
    """Lists of the admin whose rows have no page, as `OBJECTS` names them."""
    rows = admin.site._registry.items()
    named = {model._meta.label_lower.replace(".", "/") for model, one in rows if isinstance(one, UserRowsAdmin)}
    return named | {"outbox/webhookendpoint"}


def list_unknown(route: str) -> list[str]:
    """Parameters of a route of which the tables say nothing."""
    known = KINDS.keys() | WORDS.keys() | ({"object_id"} if get_model(route) in OBJECTS else set())
    return [f"{route} ({name})" for _, name in CONVERTER.findall(route) if name not in known]


def list_choices(route: str, name: str, foreign: Ids) -> list[str]:
    """What a parameter of a route is filled with: rows of the other tenant, or words."""
    if name == "object_id":
        kind = OBJECTS[get_model(route)]
        return [str(foreign["user" if kind == NOBODYS else kind])]
    if name in WORDS:
        return list(WORDS[name])
    return [str(foreign[kind]) for kind in KINDS[name]]


def list_addresses(route: str, foreign: Ids, own: Ids | None = None) -> Iterator[str]:
    """The addresses of a route. With `own`, all but its last id are of the asking tenant: a child of another parent."""
    names = [name for _, name in CONVERTER.findall(route)]
    rows = [name for name in names if name not in WORDS]
    if not rows or (own is not None and len(rows) < 2):
        return
    choices = [list_choices(route, name, own if own is not None and name != rows[-1] else foreign) for name in names]
    for values in product(*choices):
        if names[0] == "kind" and is_of_other_kind(values, foreign):
            continue
        filled = iter(values)
        yield "/" + CONVERTER.sub(lambda _, filled=filled: next(filled), route)  # type: ignore[misc]


def is_of_other_kind(values: tuple[str, ...], foreign: Ids) -> bool:
    """Whether a rule stands where an entry is asked for, or the other way round."""
    of_rule = {str(foreign["rule"]), str(foreign["rule version"])}
    return (values[0] == "rule") != (values[1] in of_rule)


MakeModel = Callable[..., ScriptedModel]


@pytest.fixture
def foreign(other_tenant: TenantRef, scripted_model: MakeModel) -> Ids:
    return make_everything(other_tenant, scripted_model)


def test_every_route_says_what_its_parameters_name() -> None:
    unknown = [each for route in list_routes() for each in list_unknown(route)]
    assert unknown == [], HINT + "; ".join(unknown)


def test_a_new_route_is_noticed() -> None:
    assert list_unknown("admin/memory/dream/<path:object_id>/") == ["admin/memory/dream/<path:object_id>/ (object_id)"]
    assert list_unknown("admin/dreams/<uuid:dream_id>/") == ["admin/dreams/<uuid:dream_id>/ (dream_id)"]


def test_the_ids_open_their_pages_for_those_whose_they_are(foreign: Ids, other_tenant: TenantRef) -> None:
    browser = log_in_as(other_tenant, *Role)
    shown, absent, broken = 0, [], []
    for route in list_routes():
        if OBJECTS.get(get_model(route)) == NOBODYS or get_model(route) in list_pageless():
            continue
        answers = {ask(browser, "get", route, address).status_code for address in list_addresses(route, foreign)}
        shown += 200 in answers
        if answers == {404}:
            absent.append(route)
        if max(answers, default=0) >= 500:
            broken.append(route)
    assert absent == [ONLY_SENT_TO], absent
    assert shown > 50
    assert broken == []


@pytest.mark.parametrize("role", Role)
def test_no_role_sees_anything_of_another_tenant(
    role: Role, foreign: Ids, tenant: TenantRef, other_tenant: TenantRef
) -> None:
    browser, wrong = log_in_as(tenant, role), {}
    for route in list_routes():
        for address in list_addresses(route, foreign):
            if shows_anything(route, answer := ask(browser, "get", route, address)):
                wrong[address] = answer.status_code
    assert wrong == {}, list(wrong.items())


def test_a_child_of_another_tenant_is_not_found_under_a_parent_of_ones_own(
    foreign: Ids, tenant: TenantRef, scripted_model: MakeModel
) -> None:
    own = make_everything(tenant, scripted_model)
    browser, wrong = log_in_as(tenant, *Role), {}
    for route in list_routes():
        for address in list_addresses(route, foreign, own):
            for answer in (ask(browser, "get", route, address), ask(browser, "post", route, address, FORM)):
                if shows_anything(route, answer):
                    wrong[address] = answer.status_code
    assert wrong == {}, list(wrong.items())


def test_a_form_sent_there_changes_nothing(foreign: Ids, tenant: TenantRef, other_tenant: TenantRef) -> None:
    browser, wrong, before = log_in_as(tenant, *Role), {}, hash_rows(other_tenant)
    for route in list_routes():
        for address in list_addresses(route, foreign):
            if shows_anything(route, answer := ask(browser, "post", route, address, FORM)):
                wrong[address] = answer.status_code
    assert wrong == {}, list(wrong.items())
    assert hash_rows(other_tenant) == before


def test_ids_in_a_form_or_a_query_are_not_believed_either(
    foreign: Ids, tenant: TenantRef, other_tenant: TenantRef
) -> None:
    """Pages without an id in their address take some as fields: every field gets every id of its kind."""
    browser, before, wrong = log_in_as(tenant, *Role), hash_rows(other_tenant), []
    fields = {name: str(foreign[kinds[0]]) for name, kinds in KINDS.items()}
    fields |= {name.removesuffix("_id"): value for name, value in fields.items()} | {"token": fields["item_id"]}
    for route in list_all_routes():
        if "<" in route or route.startswith(("admin/logout", "admin/password_change")):
            continue
        for answer in (browser.get(f"/{route}", fields), browser.post(f"/{route}", {**fields, "verdict": "correct"})):
            if answer.status_code >= 500 or WORD in read(answer):
                wrong.append((route, answer.status_code))
    assert wrong == []
    assert hash_rows(other_tenant) == before


def shows_anything(route: str, answer: Any) -> bool:
    """Whether an answer is another than a refusal, or names what is not theirs to see."""
    return not is_refused(route, answer) or WORD in read(answer)


def read(answer: object) -> str:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
    return bytes(body).decode(errors="replace")


def hash_rows(tenant: TenantRef) -> dict[str, str]:
    """A digest of all rows of a tenant, by table."""
    digests = {}
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        for table in list_tenant_tables():
            cursor.execute(
                f"SELECT md5(coalesce(string_agg(row::text, '' ORDER BY row::text), '')) FROM {table} row"
                " WHERE tenant_id = %s",
                [tenant.id],
            )
            digests[table] = cursor.fetchone()[0]
        for table in ("patterns_rule_version", "patterns_entry_version"):
            cursor.execute(f"SELECT md5(coalesce(string_agg(row::text, '' ORDER BY id), '')) FROM {table} row")
            digests[table] = cursor.fetchone()[0]
    return digests


def test_the_digest_sees_a_change(foreign: Ids, other_tenant: TenantRef) -> None:
    before = hash_rows(other_tenant)
    Tenant.objects.filter(id=other_tenant.id).update(name="other")
    browser = log_in_as(other_tenant, Role.OPERATOR)
    browser.post(f"/admin/outbox/webhookendpoint/{foreign['webhook']}/disable/", FORM)
    changed = {table for table, digest in hash_rows(other_tenant).items() if digest != before[table]}
    assert "webhook_endpoint" in changed
