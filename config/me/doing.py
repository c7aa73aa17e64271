"""What a person does on their page. Each is one call of a service that the API and the console call too. Writes."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core import signing
from django.utils import timezone

from config.me.reading import Known, Said, get_known, list_said, make_known_of_facts
from memory.consents.selectors import list_consents
from memory.consents.services import record_consents
from memory.consents.types import ConsentOutcome
from memory.erasure.requests import request_erasure
from memory.erasure.selectors import get_erasure
from memory.erasure.tasks import wake_worker
from memory.erasure.types import ErasureTarget, ErasureView
from memory.errors import Forbidden, NotFound
from memory.facts.reading import list_facts_by_id
from memory.kept.storing import change_items
from memory.kept.types import Delete, KeptDocument
from memory.services.facts import FactAct, confirm_fact, correct_fact, dispute_fact, retract_fact
from memory.services.forgets import ForgetOutcome, plan_forget, restore_forget, run_plan
from memory.services.pauses import pause_memory, resume_memory
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.types import TenantRef
from memory.visits.types import OpenVisit

_SALT: Final = "unde page erasure"
WORDS: Final = {"en": "erase", "ru": "удалить", "ar": "حذف"}
"""What is typed to erase everything."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a forget would take, in words. `plan_id` carries out just this."""

    plan_id: UUID | None
    messages: list[Said]
    facts: list[Known]
    fact: Known | None = None
    """A fact that rests on no message: it alone goes."""


def open_scope(visit: OpenVisit) -> tenant_scope:
    """The transaction of a request of this person."""
    return tenant_scope(visit.user.tenant_id, statement_timeout_ms=settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS)


def make_act(visit: OpenVisit, fact_id: UUID) -> FactAct:
    """The person speaks about a fact."""
    return FactAct(user=visit.user, fact_id=fact_id, actor=visit.actor, now=timezone.now(), reason=None)


def confirm(visit: OpenVisit, fact_id: UUID) -> Known:
    """The fact is right. Raises NotFound, FactInactive."""
    fact = confirm_fact(make_act(visit, fact_id))
    return show(visit, fact.id)


def dispute(visit: OpenVisit, fact_id: UUID) -> Known:
    """The fact is doubted. Raises NotFound, FactInactive."""
    fact = dispute_fact(make_act(visit, fact_id))
    return show(visit, fact.id)


def correct(visit: OpenVisit, fact_id: UUID, value: str) -> Known:
    """Another value takes the place of a fact, all or nothing. Raises NotFound, InvalidRequest, FactInactive."""
    with open_scope(visit):
        get_known(user=visit.user, fact_id=fact_id)  # one that the page shows
        tenant = TenantRef(id=visit.user.tenant_id, zone=ZoneInfo(visit.timezone))
        change = correct_fact(make_act(visit, fact_id), tenant=tenant, value=value)
    return show(visit, change.fact.id)


def show(visit: OpenVisit, fact_id: UUID) -> Known:
    """A fact as it is now."""
    with open_scope(visit):
        return get_known(user=visit.user, fact_id=fact_id)


# --- forgetting -------------------------------------------------------------------------------------------------------


def preview_fact(visit: OpenVisit, fact_id: UUID) -> Preview:
    """Everything that goes with a fact: the words that it rests on, and all that rests on them. Raises NotFound."""
    with open_scope(visit):
        known = get_known(user=visit.user, fact_id=fact_id)
    if not known.evidence:
        return Preview(None, [], [], fact=known)
    return preview_messages(visit, known.evidence)


def preview_messages(visit: OpenVisit, message_ids: tuple[UUID, ...]) -> Preview:
    """Everything that goes with some messages. Raises NotFound, InvalidRequest. Writes the plan."""
    plan = plan_forget(user=visit.user, message_ids=message_ids, now=timezone.now())
    with open_scope(visit):
        facts = list_facts_by_id(user=visit.user, fact_ids=plan.facts_deactivated)
        return Preview(
            plan.batch_id,
            list_said(user=visit.user, message_ids=plan.message_ids),
            make_known_of_facts(visit.user, list(facts.values())),
        )


def forget(visit: OpenVisit, plan_id: UUID) -> ForgetOutcome:
    """Carry a preview out. Raises NotFound, PlanUsed."""
    return run_plan(user=visit.user, plan_id=plan_id, actor=visit.actor, now=timezone.now())


def retract(visit: OpenVisit, fact_id: UUID) -> None:
    """Close a fact that rests on no message. Raises NotFound, FactInactive."""
    retract_fact(make_act(visit, fact_id))


def undo(visit: OpenVisit, batch_id: UUID) -> ForgetOutcome:
    """Bring back what was forgotten. Raises NotFound, ForgetOver."""
    return restore_forget(user=visit.user, batch_id=batch_id, actor=visit.actor, now=timezone.now())


def remove_kept(visit: OpenVisit, item: KeptDocument) -> None:
    """Delete a kept item with all of its versions."""
    change_items(
        tenant_id=visit.user.tenant_id,
        user_external_id=visit.user.external_id,
        changes=[Delete(namespace=item.namespace, key=item.key)],
        now=timezone.now(),
    )


# --- pausing and erasing ----------------------------------------------------------------------------------------------


def keeps_messages(visit: OpenVisit) -> bool:
    """Whether the tenant keeps messages while a memory is paused."""
    tenant = find_tenant(tenant_id=visit.user.tenant_id)
    return bool(tenant and read_settings(tenant).pause_keeps_messages)


def pause(visit: OpenVisit) -> datetime:
    """Nothing of the memory is used from now on; since when."""
    return pause_memory(user=visit.user, keeps_messages=keeps_messages(visit), now=timezone.now())


def resume(visit: OpenVisit) -> None:
    """The memory is in use again."""
    resume_memory(user=visit.user)


class ConsentFixed(Forbidden):
    """The app does not let its users change this purpose on the page."""

    code = "consent_fixed"
    default_message = "This cannot be changed here. Ask the app."


def say_to_purposes(visit: OpenVisit, choices: Mapping[str, bool]) -> ConsentOutcome:
    """The person says yes or no to purposes. Raises InvalidRequest, ConsentFixed. Writes."""
    with open_scope(visit):
        fixed = [view.purpose.key for view in list_consents(user=visit.user) if not view.purpose.is_changeable]
    refused = sorted(set(fixed) & set(choices))
    if refused:
        raise ConsentFixed(fields={f"consents.{refused[0]}": "is not for the user to change"})
    outcome = record_consents(
        tenant=TenantRef(id=visit.user.tenant_id, zone=ZoneInfo(visit.timezone)),
        user_external_id=visit.user.external_id,
        choices=choices,
        actor=visit.actor,
        now=timezone.now(),
        may_erase=True,
    )
    if outcome.erasure_id is not None:
        wake_worker()
    return outcome


def is_typed(word: str) -> bool:
    """Whether the word to erase everything was typed, in any of the languages. Pure."""
    return unicodedata.normalize("NFKC", word).strip().casefold() in WORDS.values()


def erase(visit: OpenVisit) -> ErasureView:
    """Ask for the erasure of everything. The session ends with its user."""
    erasure = request_erasure(
        tenant=TenantRef(id=visit.user.tenant_id, zone=ZoneInfo(visit.timezone)),
        user_external_id=visit.user.external_id,
        target=ErasureTarget(scope="all"),
        reason="user_request",
        actor=visit.actor,
        now=timezone.now(),
    )
    if erasure.status != "completed":
        wake_worker()
    return erasure


def sign_erasure(visit: OpenVisit, erasure_id: UUID) -> str:
    """The name under which the person follows their erasure when no session is left. It says nothing of them."""
    value = {"t": visit.user.tenant_id.hex, "e": erasure_id.hex, "l": visit.locale, "h": visit.theme}
    return signing.dumps(value, salt=_SALT, compress=False)


@dataclass(frozen=True, slots=True)
class Followed:
    """An erasure that somebody follows, and how they read."""

    erasure: ErasureView
    tenant_id: UUID
    locale: str
    theme: str


def follow_erasure(signed: str) -> Followed:
    """How far it is. Raises NotFound for a name that was not given here."""
    try:
        value = signing.loads(signed, salt=_SALT)
        tenant_id, erasure_id = UUID(value["t"]), UUID(value["e"])
    except (signing.BadSignature, KeyError, ValueError):
        raise NotFound("This erasure does not exist.", fields={"erasure": "unknown"}) from None
    with tenant_scope(tenant_id):
        return Followed(get_erasure(tenant_id=tenant_id, erasure_id=erasure_id), tenant_id, value["l"], value["h"])
