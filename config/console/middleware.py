"""Sessions, login, messages and the tenant of a staff user: for the console alone. The API passes these by.

Skipping these five saves a third of the time of a request without database work (docs/console.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import User
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase, HttpResponseForbidden, QueryDict
from django.middleware.csrf import CsrfViewMiddleware
from django.urls import reverse
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin

from config.console.pages import render_page
from memory.erasure.generation import forget_erased
from memory.tenants.access import StaffAccess, find_access
from memory.tenants.scope import tenant_scope

CONSOLE_PREFIX: Final = "/admin/"
LIVENESS: Final = "/healthz"
SESSION_KEY: Final = "tenant_id"
_WITHOUT_TENANT: Final = ("admin:login", "admin:logout", "admin:password_change", "admin:password_change_done")


def is_console(request: HttpRequest) -> bool:
    """Whether the request is for a page of the console; the API, health and metrics are not."""
    return request.path_info.startswith(CONSOLE_PREFIX)


class ForgetErasedMiddleware:
    """Before a request, the words of erased users leave this process (`memory.erasure.generation`).

    Not for the liveness probe, which asks no database.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info != LIVENESS:
            forget_erased()
        return self.get_response(request)


class _ConsoleAlone(MiddlewareMixin):
    """A middleware of Django's that looks at requests for the console alone."""

    def __call__(self, request: HttpRequest) -> Any:
        return super().__call__(request) if is_console(request) else self.get_response(request)


class ConsoleSessionMiddleware(_ConsoleAlone, SessionMiddleware):
    """Django's sessions, for the console alone."""


class ConsoleCsrfMiddleware(_ConsoleAlone, CsrfViewMiddleware):
    """Django's CSRF protection, for the console alone: an API key is not sent by browsers on their own."""

    def process_view(
        self, request: HttpRequest, callback: Callable[..., Any], callback_args: Any, callback_kwargs: Any
    ) -> HttpResponseForbidden | None:
        if not is_console(request):
            return None
        return super().process_view(request, callback, callback_args, callback_kwargs)


class ConsoleAuthenticationMiddleware(_ConsoleAlone, AuthenticationMiddleware):
    """Django's login, for the console alone."""


class ConsoleMessagesMiddleware(_ConsoleAlone, MessageMiddleware):
    """Django's one-time messages, for the console alone."""


class ConsoleTenantMiddleware:
    """Puts the staff user's access on the request and answers it inside the tenant's scope and time zone (D-14).

    The page and what it writes are one transaction; an answer of 500 and up takes everything back.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_console(request):
            return self.get_response(request)
        request.GET = _drop_nul(request.GET)  # type: ignore[assignment]  # nobody writes to either
        request.POST = _drop_nul(request.POST)  # type: ignore[assignment]
        if not _is_staff(request) or _is_without_tenant(request):
            return self.get_response(request)
        access = find_access(user=cast("User", request.user), chosen_id=_get_chosen_id(request))
        if access is None:
            return render_page(
                request, "console/no_tenant.html", title="You have no role in any tenant yet", status=403
            ).render()
        request.staff_access = access  # type: ignore[attr-defined]  # Django's way to hand something on
        return self._answer_in_scope(request, access)

    def _answer_in_scope(self, request: HttpRequest, access: StaffAccess) -> HttpResponseBase:
        with timezone.override(ZoneInfo(access.tenant.timezone)), tenant_scope(access.tenant.id):
            response = self.get_response(request)
            if response.status_code >= 500:
                transaction.set_rollback(True)
        return response


def _drop_nul(fields: QueryDict) -> QueryDict:
    """The fields of a request without NUL, which PostgreSQL takes in no text: nobody types one."""
    if not any("\0" in value for values in fields.lists() for value in values[1]):
        return fields
    cleaned = QueryDict(mutable=True, encoding=fields.encoding)
    for name, values in fields.lists():
        cleaned.setlist(name, [value.replace("\0", "") for value in values])
    return cleaned


def _is_staff(request: HttpRequest) -> bool:
    return request.user.is_active and bool(getattr(request.user, "is_staff", False))


def _is_without_tenant(request: HttpRequest) -> bool:
    return any(request.path_info == reverse(name) for name in _WITHOUT_TENANT)


def _get_chosen_id(request: HttpRequest) -> UUID | None:
    try:
        return UUID(str(request.session.get(SESSION_KEY)))
    except ValueError:
        return None
