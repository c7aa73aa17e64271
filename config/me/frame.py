"""What all pages have in common: the session, the tenant's scope and zone, words, looks, coded errors as sentences."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils import timezone

from config.api.errors import note_error
from config.api.throttling import check_rate
from config.headers import POLICY
from config.me.doing import open_scope
from config.me.looks import NOBODYS, Look, find_look
from config.me.sessions import SAFE, Session, check_form, find_session, make_caller
from config.me.wording import Words
from memory.tenants.selectors import find_tenant
from memory.visits.types import LOCALES, OpenVisit, SessionOver

TABS = (("known", "tab_known"), ("said", "tab_said"), ("episodes", "tab_episodes"), ("kept", "tab_kept"))
PageView = Callable[..., HttpResponseBase]


class Page:
    """A page for one visit: what its view needs, and how it is drawn."""

    def __init__(self, request: HttpRequest, session: Session) -> None:
        self.request = request
        self.session = session
        self.visit: OpenVisit = session.visit
        self.now = timezone.now()
        self.words = Words(self.visit.locale, ZoneInfo(self.visit.timezone))
        tenant = find_tenant(tenant_id=self.visit.user.tenant_id)
        self.look = find_look(tenant, locale=self.visit.locale) if tenant else NOBODYS

    def may(self, permission: str) -> bool:
        """Whether the link allows it."""
        return permission in self.visit.permissions

    def draw(self, template: str, *, title: str, status: int = 200, **content: Any) -> HttpResponse:
        """A page in the frame."""
        more = {
            "visit": self.visit,
            "form_token": self.session.form_token,
            "may": dict.fromkeys(self.visit.permissions, True),
            "tabs": TABS if self.may("read") else (),
            **content,
        }
        return draw(
            self.request,
            template,
            words=self.words,
            look=self.look,
            theme=self.visit.theme,
            title=self.words[title],
            status=status,
            **more,
        )


def draw(
    request: HttpRequest,
    template: str,
    *,
    words: Words,
    look: Look,
    theme: str,
    title: str,
    status: int = 200,
    **content: Any,
) -> HttpResponse:
    """A page with its policy. Kept in no cache, and framed by the tenant's sites alone."""
    context = {"t": words, "look": look, "theme": theme, "title": title, **content}
    response = HttpResponse(render_to_string(f"page/{template}", context, request), status=status)
    response.headers[POLICY] = look.policy
    response.headers["Referrer-Policy"] = "no-referrer"
    response.xframe_options_exempt = True  # frame-ancestors says it better
    return response


def page(
    *, permission: str | None = None, methods: tuple[str, ...] = ("GET", "HEAD")
) -> Callable[[PageView], PageView]:
    """A view of a session: `view(page, ...)`. An error becomes a page with a sentence."""

    def decorate(view: PageView) -> PageView:
        @wraps(view)
        def show(request: HttpRequest, **path: Any) -> HttpResponseBase:
            words = choose_words(request)
            try:
                if request.method not in methods:
                    return refuse(request, words, "wrong_way", status=405)
                session = find_session(request)
                found = Page(request, session)
                words = found.words
                check_rate(make_caller(found.visit))
                if request.method not in SAFE:
                    check_form(request, session)
                if permission:
                    session.check(permission)
                return view(found, **path)
            except Exception as error:
                return answer_failure(request, words, error)

        return show

    return decorate


def answer_failure(request: HttpRequest, words: Words, error: Exception) -> HttpResponse:
    """A failure as a page."""
    coded = note_error(error)
    key = f"error_{coded.code}"
    is_blocked = isinstance(error, SessionOver) and "entered" in request.GET
    if is_blocked:
        key = "error_no_cookie"
    known = words["errors"]
    return refuse(request, words, key if key in known else "error_other", status=coded.status, is_blocked=is_blocked)


def refuse(
    request: HttpRequest, words: Words, key: str, *, status: int, look: Look = NOBODYS, is_blocked: bool = False
) -> HttpResponse:
    """A page that says why not. It tells nothing of anybody, so any site may frame it."""
    response = draw(
        request,
        "refusal.html",
        words=words,
        look=look,
        theme="auto",
        title=words["errors"].get(key, words["errors"]["error_other"]),
        status=status,
        is_blocked=is_blocked,
    )
    response.headers[POLICY] = response.headers[POLICY].replace("frame-ancestors 'none'", "frame-ancestors *")
    return response


def choose_words(request: HttpRequest) -> Words:
    """The language of somebody without a session: the first of the browser's that there is."""
    for part in request.headers.get("Accept-Language", "").split(","):
        name = part.split(";")[0].strip()[:2].lower()
        if name in LOCALES:
            return Words(name, ZoneInfo("UTC"))
    return Words("en", ZoneInfo("UTC"))


def in_scope(found: Page) -> Any:
    """The transaction of a page."""
    return open_scope(found.visit)
