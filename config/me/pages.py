"""The pages of a visit. Every one works without JavaScript: links read, forms change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from config.me import doing, reading
from config.me.control import stream_export
from config.me.frame import Page, in_scope, page
from config.parameters import find_id
from memory.consents.selectors import get_purpose, list_consents, list_lost
from memory.errors import CodedError, InvalidRequest, NotFound
from memory.profile.messages import list_message_page
from memory.profile.summary import get_profile
from memory.retention.selectors import find_kept_days
from memory.visits.types import OpenVisit

VERBS: Final[dict[str, Callable[[OpenVisit, UUID], reading.Known]]] = {
    "confirm": doing.confirm,
    "dispute": doing.dispute,
}


@page(permission="read")
def show_known(here: Page) -> HttpResponseBase:
    """What is known: the first page."""
    with in_scope(here):
        known, past = reading.list_known(user=here.visit.user, now=here.now)
        profile = get_profile(tenant_id=here.visit.user.tenant_id, user_id=here.visit.user.id)
    groups: dict[str, list[reading.Known]] = {}
    for one in known:
        groups.setdefault(one.fact.knowledge_type, []).append(one)
    return here.draw(
        "known.html",
        title="known_title",
        here="known",
        groups=list(groups.items()),
        past=past,
        profile=profile,
        done=here.request.GET.get("done", ""),
        changed=find_id(here.request.GET.get("fact", "")),
    )


@page(permission="correct", methods=("POST",))
def change_fact(here: Page, fact_id: UUID, verb: str) -> HttpResponseBase:
    """Confirm, dispute or correct a fact, then the list with a word about it."""
    if verb == "correct":
        value = (
            here.request.POST.get("value", "")
            .replace("\0", "")
            .strip()[: settings.UNDE_TUNING.MAX_FACT_VALUE_CHARACTERS]
        )
        try:
            fact = doing.correct(here.visit, fact_id, value)
        except InvalidRequest:
            return show_again(here, fact_id, value)
    elif verb in VERBS:
        fact = VERBS[verb](here.visit, fact_id)
    else:
        raise NotFound("This action does not exist.")
    return redirect(f"{reverse('page:known')}?done={verb}&fact={fact.fact.id}#fact-{fact.fact.id}")


def show_again(here: Page, fact_id: UUID, value: str) -> HttpResponseBase:
    """A value that cannot be: the form again, with what was typed."""
    known = doing.show(here.visit, fact_id)
    return here.draw("correct.html", title="correct_title", known=known, value=value, status=400)


@page(permission="read")
def show_said(here: Page) -> HttpResponseBase:
    """What was said, a conversation at a time."""
    before = here.request.GET.get("before", "")
    with in_scope(here):
        told = list_message_page(
            user=here.visit.user,
            conversation_id=find_id(here.request.GET.get("conversation", "")),
            before_seq=int(before) if before.isascii() and before.isdecimal() and len(before) < 10 else None,
        )
    return here.draw(
        "said.html",
        title="said_title",
        here="said",
        told=told,
        messages=[one for one in told.messages if one["forgotten_at"] is None],
    )


@page(permission="read")
def show_episodes(here: Page) -> HttpResponseBase:
    """What was talked about."""
    limit = settings.UNDE_TUNING.PAGE_EPISODES
    with in_scope(here):
        place = reading.find_episode_place(user=here.visit.user, episode_id=find_id(here.request.GET.get("before", "")))
        episodes, names = reading.list_told(user=here.visit.user, before=place)
    shown = [(one, names.get(one.conversation_id, "")) for one in episodes[:limit]]
    older = shown[-1][0].id if len(episodes) > limit else None
    return here.draw("episodes.html", title="episodes_title", here="episodes", episodes=shown, older=older)


@page(permission="read")
def show_kept(here: Page) -> HttpResponseBase:
    """What the app keeps beside messages."""
    limit = settings.UNDE_TUNING.PAGE_ITEMS
    given = here.request.GET.get("start", "")
    start = int(given) if given.isascii() and given.isdecimal() and len(given) < 7 else 0
    with in_scope(here):
        items = reading.list_kept(user=here.visit.user, now=here.now, start=start)
    shown = [(one, reading.write_value(dict(one.value))) for one in items[:limit]]
    more = start + limit if len(items) > limit else None
    return here.draw("kept.html", title="kept_title", here="kept", items=shown, more=more)


@page(permission="forget", methods=("POST",))
def remove_kept(here: Page, item_id: UUID) -> HttpResponseBase:
    """Delete a kept item, after a page that asks."""
    with in_scope(here):
        item = reading.get_kept(user=here.visit.user, item_id=item_id, now=here.now)
    if here.request.POST.get("sure") != "yes":
        value = reading.write_value(dict(item.value))
        return here.draw("remove.html", title="remove_title", item=item, value=value)
    doing.remove_kept(here.visit, item)
    return redirect(reverse("page:kept"))


# --- forgetting -------------------------------------------------------------------------------------------------------


@page(permission="forget", methods=("POST",))
def preview_forget(here: Page) -> HttpResponseBase:
    """Everything that would go, to be looked at first."""
    fact_id = find_id(here.request.POST.get("fact", ""))
    given = [find_id(value) for value in here.request.POST.getlist("message")]
    message_ids = tuple(one for one in given if one is not None)
    if fact_id is None and not message_ids:
        return redirect((here.request.POST.get("back") == "said" and reverse("page:said")) or reverse("page:known"))
    preview = doing.preview_fact(here.visit, fact_id) if fact_id else doing.preview_messages(here.visit, message_ids)
    return here.draw("forget.html", title="forget_title", preview=preview)


@page(permission="forget", methods=("POST",))
def forget(here: Page) -> HttpResponseBase:
    """Carry a preview out, and offer the way back."""
    plan_id, fact_id = (find_id(here.request.POST.get(name, "")) for name in ("plan", "fact"))
    if plan_id:
        outcome = doing.forget(here.visit, plan_id)
        return here.draw("forgotten.html", title="forgotten_title", outcome=outcome)
    if fact_id:
        doing.retract(here.visit, fact_id)
        return here.draw("forgotten.html", title="forgotten_title", outcome=None)
    raise NotFound("This plan does not exist.")


@page(permission="forget", methods=("POST",))
def undo(here: Page, batch_id: UUID) -> HttpResponseBase:
    """Bring back what was forgotten."""
    outcome = doing.undo(here.visit, batch_id)
    return here.draw("restored.html", title="restored_title", outcome=outcome)


# --- control ----------------------------------------------------------------------------------------------------------


@page()
def show_control(here: Page) -> HttpResponseBase:
    """Pause, take along, erase, leave."""
    with in_scope(here):
        consents = list_consents(user=here.visit.user)
        kept_days = find_kept_days(user=here.visit.user)
    return here.draw(
        "control.html",
        title="control_title",
        here="control",
        keeps=keeps_messages(here),
        consents=consents,
        kept_days=kept_days,
    )


@page(permission="consent", methods=("POST",))
def say_to_purpose(here: Page, key: str) -> HttpResponseBase:
    """Agree to a purpose; say no to it after a page that shows what goes."""
    is_granted = here.request.POST.get("says") == "yes"
    if not is_granted and here.request.POST.get("sure") != "yes":
        with in_scope(here):
            purpose = get_purpose(tenant_id=here.visit.user.tenant_id, key=key)
            lost = list_lost(list_consents(user=here.visit.user), key=key)
        return here.draw("withdraw.html", title="withdraw_title", purpose=purpose, lost=lost)
    doing.say_to_purposes(here.visit, {key: is_granted})
    return redirect(f"{reverse('page:control')}#consents")


def keeps_messages(here: Page) -> bool:
    """Whether messages are kept during the pause that is on, or would be on."""
    return here.visit.pause_keeps if here.visit.paused_at else doing.keeps_messages(here.visit)


@page(permission="pause", methods=("POST",))
def pause(here: Page) -> HttpResponseBase:
    """Nothing of the memory is used from now on."""
    doing.pause(here.visit)
    return redirect(reverse("page:control"))


@page(permission="pause", methods=("POST",))
def resume(here: Page) -> HttpResponseBase:
    """The memory is in use again."""
    doing.resume(here.visit)
    return redirect(reverse("page:control"))


@page(permission="export")
def export_lines(here: Page) -> HttpResponseBase:
    """Everything as JSON Lines."""
    return stream_export(here.visit)


@page(permission="export")
def export_html(here: Page) -> HttpResponseBase:
    """Everything that says something to a person, in one page to keep. It stands alone."""
    with in_scope(here):
        known, past = reading.list_known(user=here.visit.user, now=here.now)
        items = reading.list_kept(user=here.visit.user, now=here.now)
    response: HttpResponse = here.draw(
        "export.html",
        title="export_title",
        known=known,
        past=past,
        items=[(one, reading.write_value(dict(one.value))) for one in items],
        conversations=reading.list_conversations_whole(user=here.visit.user, in_scope=lambda: in_scope(here)),
        now=here.now,
    )
    response.headers["Content-Disposition"] = 'attachment; filename="memory.html"'
    return response


@page(permission="erase", methods=("GET", "HEAD", "POST"))
def erase(here: Page) -> HttpResponseBase:
    """Ask for a word, then erase everything. The next page is shown without a session, for there is none any more."""
    typed = here.request.POST.get("word", "")
    if here.request.method != "POST" or not doing.is_typed(typed):
        is_wrong = here.request.method == "POST"
        word = doing.WORDS[here.visit.locale]
        status = 400 if is_wrong else 200
        return here.draw("erase.html", title="erase_title", word=word, is_wrong=is_wrong, status=status)
    erasure = doing.erase(here.visit)
    return redirect(reverse("page:erased", args=[doing.sign_erasure(here.visit, erasure.id)]))


# --- sources ----------------------------------------------------------------------------------------------------------


@page(permission="read")
def show_sources(here: Page, receipt_id: UUID) -> HttpResponseBase:
    """What one reply knew, and what was left out."""
    try:
        with in_scope(here):
            sources = reading.get_sources(user=here.visit.user, receipt_id=receipt_id)
    except CodedError as error:
        if error.status == 410:
            return here.draw("sources.html", title="sources_title", sources=None, status=410)
        raise
    return here.draw("sources.html", title="sources_title", sources=sources)
