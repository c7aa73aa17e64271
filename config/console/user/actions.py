"""A user's memory, changed by an operator: every button asks first and goes through the services, which audit it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from config.console.pages import ask_first, console_page, render_page, telling
from config.console.purposes import name_kind
from config.console.user.forms import EraseForm
from config.parameters import get_id
from corrections.models import CorrectionLog
from corrections.services.log import GOLDEN_STATUSES, record_golden_status
from memory.consents.selectors import get_purpose, list_consents, list_lost
from memory.consents.services import record_consents
from memory.episodes.anchoring import set_anchor
from memory.episodes.selectors import get_episode
from memory.erasure.requests import request_erasure
from memory.erasure.tasks import wake_worker
from memory.erasure.types import ErasureTarget
from memory.errors import NotFound
from memory.facts.reading import get_fact
from memory.profile.summary import get_profile
from memory.selectors.sources import list_sources
from memory.services.facts import FactAct, confirm_fact, dispute_fact, retract_fact
from memory.services.forgets import find_forget_of, plan_forget, restore_forget, run_plan
from memory.services.sources import forget_source
from memory.tenants.access import get_access
from memory.types import Fact, TenantRef, UserRef


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that can be done to a fact, in words."""

    run: Callable[[FactAct], Fact]
    title: str
    sentence: str
    button: str
    done: str


VERBS: Final = {
    "confirm": Verb(
        confirm_fact,
        "Confirm a fact",
        "The fact is marked as confirmed by the user and validated today. A disputed fact becomes active again.",
        "Confirm",
        "The fact is confirmed.",
    ),
    "dispute": Verb(
        dispute_fact,
        "Dispute a fact",
        "The fact stays but is marked as disputed. Packs do not assert it until it is confirmed or denied.",
        "Dispute",
        "The fact is disputed.",
    ),
    "retract": Verb(
        retract_fact,
        "Retract a fact",
        "The fact is closed and no longer appears in packs. No older value becomes active.",
        "Retract",
        "The fact is retracted.",
    ),
}


@console_page("operate")
def change_fact(request: HttpRequest, user_id: UUID, fact_id: UUID, verb: str) -> HttpResponseBase:
    """Confirm, dispute or retract a fact, after a page that says what that means."""
    if verb not in VERBS:
        raise NotFound("This action does not exist.")
    user = _get_user(request, user_id)
    fact = get_fact(user=user, fact_id=fact_id)
    back = reverse("console:user_facts", args=[user_id])
    words = VERBS[verb]
    if request.method != "POST":
        return _ask(request, title=words.title, sentence=words.sentence, button=words.button, back_url=back, fact=fact)

    act = partial(FactAct, user=user, fact_id=fact_id, reason=_read_reason(request))
    return _do(request, lambda **by: words.run(act(**by)), done=words.done, back=back)


ANCHOR_VERBS: Final = {
    "keep": (
        "Keep an episode",
        "It never becomes cold, however long nobody speaks of it. Its layer changes at night.",
        "Keep",
        "The episode is kept.",
    ),
    "release": (
        "Stop keeping an episode",
        "It becomes warm and cold like all others, even if the user asked to remember it forever.",
        "Stop keeping",
        "The episode is no longer kept.",
    ),
}


@console_page("operate")
def anchor_episode(request: HttpRequest, user_id: UUID, episode_id: UUID, verb: str) -> HttpResponseBase:
    """Make an episode an anchor or take that back, after a page that says what it means."""
    if verb not in ANCHOR_VERBS:
        raise NotFound("This action does not exist.")
    user = _get_user(request, user_id)
    get_episode(user=user, episode_id=episode_id)
    title, sentence, button, done = ANCHOR_VERBS[verb]
    back = f"{reverse('console:user_episodes', args=[user_id])}?episode={episode_id}"
    if request.method != "POST":
        return _ask(request, title=title, sentence=sentence, button=button, back_url=back)

    run = partial(set_anchor, user=user, episode_id=episode_id, is_anchor=verb == "keep")
    return _do(request, run, done=done, back=back)


@console_page("operate")
def forget_message(request: HttpRequest, user_id: UUID, message_id: UUID) -> HttpResponseBase:
    """Forget one message: a dry run says what goes with it, the button takes exactly that (SPEC G-5)."""
    user = _get_user(request, user_id)
    back = reverse("console:user_messages", args=[user_id])
    if request.method != "POST":
        plan = plan_forget(user=user, message_ids=[message_id], now=timezone.now())
        return _ask(
            request,
            title="Forget a message",
            sentence="The message is hidden everywhere at once. You can restore it within the grace period.",
            details=[
                f"{len(plan.facts_deactivated)} active facts depend on it and will be closed",
                f"{len(plan.descriptions_cleared)} descriptions of replies will be cleared",
            ],
            button="Forget",
            back_url=back,
            plan_id=plan.batch_id,
        )
    plan_id = get_id(request.POST.get("plan_id", ""), missing="This plan does not exist.")

    run = partial(run_plan, user=user, plan_id=plan_id, reason=_read_reason(request))
    return _do(request, run, done="The message is forgotten.", back=back)


@console_page("operate")
def restore_message(request: HttpRequest, user_id: UUID, message_id: UUID) -> HttpResponseBase:
    """Bring one forgotten message back within its grace period."""
    user = _get_user(request, user_id)
    back = reverse("console:user_messages", args=[user_id])
    batch_id = find_forget_of(user=user, message_id=message_id)
    if batch_id is None:
        raise NotFound("This message is not forgotten, or its grace period is over.")
    if request.method != "POST":
        return _ask(
            request,
            title="Restore a message",
            sentence="The message becomes visible again. Facts that were closed with it become active again, unless "
            "their key has a newer value.",
            button="Restore",
            back_url=back,
        )

    run = partial(restore_forget, user=user, batch_id=batch_id, message_id=message_id)
    return _do(request, run, done="The message is restored.", back=back)


@console_page("review_facts")
def judge_correction(request: HttpRequest, user_id: UUID, correction_id: UUID) -> HttpResponseBase:
    """A reviewer takes a correction as a golden case, or turns it down (SPEC C-2). The other answer may follow."""
    user = _get_user(request, user_id)
    back = reverse("console:user_corrections", args=[user_id])
    status = request.POST.get("status", "")
    if status not in GOLDEN_STATUSES:
        raise NotFound("This action does not exist.")
    if not CorrectionLog.objects.filter(user_id=user.id, id=correction_id).exists():
        raise NotFound("This correction does not exist.")

    run = partial(record_golden_status, user=user, correction_id=correction_id, status=status)
    return _do(request, run, done=f"The correction is {status}.", back=back)


@console_page("operate")
def erase_user(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
    """Ask for the erasure of everything of a user; the user's own id must be typed (SPEC G-2)."""
    access, user = get_access(request), _get_user(request, user_id)
    form = EraseForm(request.POST or None, external_id=user.external_id)
    if request.method == "POST" and form.is_valid():
        erasure = request_erasure(
            tenant=TenantRef(id=access.tenant.id, zone=ZoneInfo(access.tenant.timezone)),
            user_external_id=user.external_id,
            target=ErasureTarget(scope="all"),
            reason=form.cleaned_data["reason"],
            actor=access.actor_code,
            now=timezone.now(),
        )
        messages.success(request, "The user is now invisible. Workers delete the data.")
        return redirect("admin:memory_erasurerequest_change", erasure.id)
    return render_page(
        request,
        "console/erase.html",
        title="Erase a user",
        form=form,
        external_id=user.external_id,
        back_url=reverse("console:user_facts", args=[user_id]),
    )


@console_page("operate")
def forget_source_of(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
    """Forget all that one client told, after a page that says how much it is (D-39)."""
    user = _get_user(request, user_id)
    via, client = request.GET.get("via", "app"), request.GET.get("client", "")
    found = next((one for one in list_sources(user=user) if (one.via, one.client) == (via, client)), None)
    if found is None:
        raise NotFound("This client told nothing of this user.")
    back = reverse("console:user_sources", args=[user_id])
    if request.method != "POST":
        return _ask(
            request,
            title="Forget all that one client told",
            sentence="It is hidden everywhere at once, with everything that rests on it. It can be undone for a while.",
            details=[f"{found.messages} messages"],
            button="Forget all",
            back_url=back,
        )

    run = partial(forget_source, user=user, via=via, client=client, reason=_read_reason(request))
    return _do(request, run, done="All that this client told is forgotten.", back=back)


@console_page("operate")
def change_consent(request: HttpRequest, user_id: UUID, key: str, verb: str) -> HttpResponseBase:
    """Pass on what the user said to a purpose, after a page that says what goes."""
    if verb not in ("grant", "withdraw"):
        raise NotFound("This action does not exist.")
    access, is_granted = get_access(request), verb == "grant"
    user = _get_user(request, user_id)
    purpose = get_purpose(tenant_id=user.tenant_id, key=key)
    back = reverse("console:user_consents", args=[user_id])
    if request.method != "POST":
        lost = [] if is_granted else list_lost(list_consents(user=user), key=key)
        return ask_first(
            request,
            title=f"{'Agree' if is_granted else 'Say no'} to {purpose.name('en')}",
            sentence="Do this only if the user told you so. It is recorded with your name.",
            details=[f"gone, and not kept any more: {name_kind(kind)}" for kind in lost],
            button="The user agrees" if is_granted else "The user says no",
            back_url=back,
        )

    def run(**by: Any) -> None:
        outcome = record_consents(
            tenant=TenantRef(id=user.tenant_id, zone=ZoneInfo(access.tenant.timezone)),
            user_external_id=user.external_id,
            choices={key: is_granted},
            may_erase=True,
            **by,
        )
        if outcome.erasure_id is not None:
            wake_worker()

    return _do(request, run, done="What the user said is recorded.", back=back)


def _get_user(request: HttpRequest, user_id: UUID) -> UserRef:
    profile = get_profile(tenant_id=get_access(request).tenant.id, user_id=user_id)
    if profile.fenced_at:
        raise NotFound("This user is being erased.")
    return profile.user


def _ask(request: HttpRequest, **context: Any) -> TemplateResponse:
    return ask_first(request, has_reason=True, **context)


def _read_reason(request: HttpRequest) -> str | None:
    return request.POST.get("reason", "").strip()[:500] or None


def _do(request: HttpRequest, run: Callable[..., object], *, done: str, back: str) -> HttpResponseBase:
    """Run a button with `actor` and `now`, and go back with what came of it."""
    with telling(request):
        run(actor=get_access(request).actor_code, now=timezone.now())
        messages.success(request, done)
    return redirect(back)
