"""The ways in and out of the page: opening a link, leaving, following an erasure that has taken the session along."""

from __future__ import annotations

import json
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from config.me.doing import Followed, follow_erasure
from config.me.frame import Page, answer_failure, choose_words, draw, page, refuse
from config.me.looks import COLOUR, NOBODYS, find_look, write_colours
from config.me.sessions import drop_cookie, find_session, set_cookie
from config.me.wording import Words
from config.parameters import find_id
from memory.errors import CodedError
from memory.tenants.selectors import find_tenant
from memory.visits.services import end_visit, open_link


def open_page(request: HttpRequest, link: str) -> HttpResponseBase:
    """Use a link up and go to the page. What only looks ahead (HEAD, a prefetch) uses nothing up.

    Where the link is opened again by the browser that holds its session, the page is shown all the same.
    """
    words = choose_words(request)
    aim = find_aim(request)
    if request.method not in ("GET", "POST") or is_looking_ahead(request):
        return HttpResponse(status=204)
    try:
        made = open_link(secret=link, now=timezone.now())
    except CodedError as error:
        try:
            find_session(request)
        except CodedError:
            return answer_failure(request, words, error)
        return redirect(aim)
    response = redirect(f"{aim}?entered=1")
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    set_cookie(request, response, made)
    return response


def find_aim(request: HttpRequest) -> str:
    """Where a link leads: to the sources of a reply if it names one, else to what is known."""
    receipt_id = find_id(request.GET.get("receipt", ""))
    return reverse("page:sources", args=[receipt_id]) if receipt_id else reverse("page:known")


def is_looking_ahead(request: HttpRequest) -> bool:
    """Whether the browser fetches for a person who may never come."""
    said = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
    return "prefetch" in said or "prerender" in said


@page(methods=("POST",))
def leave(here: Page) -> HttpResponseBase:
    """End the session and go back to the app."""
    end_visit(visit=here.visit, now=here.now)
    if here.visit.return_url:
        response: HttpResponseBase = redirect(here.visit.return_url)
    else:
        response = refuse(here.request, here.words, "left", status=200, look=here.look)
    drop_cookie(here.request, response)
    return response


def show_erasure(request: HttpRequest, signed: str) -> HttpResponseBase:
    """How far an erasure is. Whoever has the address sees codes and times, and nothing of what was erased."""
    try:
        followed = follow_erasure(signed)
    except CodedError as error:
        return answer_failure(request, choose_words(request), error)
    tenant = find_tenant(tenant_id=followed.tenant_id)
    zone = ZoneInfo(tenant.timezone if tenant else "UTC")
    words = Words(followed.locale, zone)
    is_done = followed.erasure.status == "completed"
    return draw(
        request,
        "erased.html",
        words=words,
        look=find_look(tenant, locale=followed.locale) if tenant else NOBODYS,
        theme=followed.theme,
        title=words["erased_title_done" if is_done else "erased_title"],
        erasure=followed.erasure,
        signed=signed,
        is_done=is_done,
        refresh=settings.UNDE_TUNING.PAGE_REFRESH_SECONDS,
    )


def show_certificate(request: HttpRequest, signed: str) -> HttpResponseBase:
    """The newest certificate as a file; 404 before there is one."""
    try:
        followed: Followed = follow_erasure(signed)
    except CodedError as error:
        return answer_failure(request, choose_words(request), error)
    if not followed.erasure.certificates:
        raise Http404
    body = json.dumps(followed.erasure.certificates[-1], indent=1, ensure_ascii=False)
    response = HttpResponse(body, content_type="application/json")
    response.headers["Content-Disposition"] = 'attachment; filename="certificate.json"'
    return response


def show_colours(request: HttpRequest, colour: str) -> HttpResponseBase:
    """The style sheet of a colour: a policy without inline styles, and yet each tenant its own."""
    if not COLOUR.fullmatch(f"#{colour}"):
        raise Http404
    response = HttpResponse(write_colours(f"#{colour.lower()}"), content_type="text/css")
    response.headers["Cache-Control"] = f"public, max-age={settings.UNDE_TUNING.PAGE_COLOURS_CACHED_SECONDS}"
    return response
