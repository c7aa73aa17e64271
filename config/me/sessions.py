"""Who visits: the session of a request, in a cookie or as a bearer, and what its link allows.

A browser sends a cookie by itself, so whatever changes something must also carry the token of the session's forms. A
bearer is sent by a script that holds it, which is proof enough.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request

from config.api.authentication import read_bearer
from memory.errors import Forbidden
from memory.tenants.types import Caller, Scope
from memory.visits.selectors import get_visit
from memory.visits.services import make_form_token
from memory.visits.types import MissingPermission, NewSession, OpenVisit, SessionOver

COOKIE: Final = "unde_visit"
SECURE_COOKIE: Final = "__Host-unde-visit"
PARTITIONED: Final = "None; Partitioned"
"""Python has a name for the second attribute from 3.14 on; until then it goes behind the one that is written last."""
SAFE: Final = ("GET", "HEAD")
FORM_FIELD: Final = "form_token"
FORM_HEADER: Final = "X-Form-Token"
SCOPES: Final = {
    "read": (Scope.READ, Scope.EPISODES_READ, Scope.STORE_READ),
    "correct": (Scope.FACTS,),
    "forget": (Scope.FORGET,),
    "pause": (Scope.FACTS,),
    "consent": (Scope.WRITE, Scope.ERASE),  # saying no may erase what was kept
    "export": (Scope.EXPORT,),
    "erase": (Scope.ERASE,),
}
"""What a key must be allowed for its links to allow each of these."""


class BadFormToken(Forbidden):
    """Something would change by a cookie alone: another site may have sent it."""

    code = "bad_form_token"
    default_message = f"Send form_token of GET /v1/me in the header {FORM_HEADER}."


@dataclass(frozen=True, slots=True)
class Session:
    """The visit of a request with what its forms must carry."""

    visit: OpenVisit
    form_token: str

    def check(self, permission: str) -> None:
        """Raise MissingPermission unless the link allows it."""
        if permission not in self.visit.permissions:
            raise MissingPermission(fields={"permission": permission})


def find_session(request: HttpRequest | Request) -> Session:
    """The session of a request. Raises SessionOver; InvalidKey or MissingBearer for a header that cannot be one."""
    secret = read_secret(request)
    if not secret:
        raise SessionOver
    visit = get_visit(session=secret, now=timezone.now())
    structlog.contextvars.bind_contextvars(tenant_id=str(visit.user.tenant_id), visit_id=str(visit.id))
    return Session(visit, make_form_token(secret))


def read_secret(request: HttpRequest | Request) -> str:
    """The secret of the session: a bearer counts before a cookie."""
    header = request.META.get("HTTP_AUTHORIZATION", "")
    if header:
        return read_bearer(header)
    return request.COOKIES.get(name_cookie(request), "")


def check_form(request: HttpRequest | Request, session: Session) -> None:
    """Raise BadFormToken where a request that changes something was perhaps not meant by the person."""
    if request.META.get("HTTP_AUTHORIZATION"):
        return
    origin = request.headers.get("Origin", "")
    if origin and origin != "null" and urlsplit(origin).netloc != request.get_host():
        raise BadFormToken
    form = request.POST if isinstance(request, HttpRequest) else {}  # calls of the API carry JSON
    given = request.headers.get(FORM_HEADER) or form.get(FORM_FIELD, "")
    if not hmac.compare_digest(given.encode(), session.form_token.encode()):
        raise BadFormToken


def name_cookie(request: HttpRequest | Request) -> str:
    """Over TLS a name that no other host can set (`__Host-`)."""
    return SECURE_COOKIE if request.is_secure() else COOKIE


def set_cookie(request: HttpRequest | Request, response: HttpResponseBase, session: NewSession) -> None:
    """Give the browser its session. In a frame of another site it is kept apart for that site (`Partitioned`)."""
    is_secure = request.is_secure()
    name = name_cookie(request)
    response.set_cookie(
        name,
        session.secret,
        expires=session.expires_at,
        path="/",
        secure=is_secure,
        httponly=True,
        samesite="None" if is_secure else "Lax",
    )
    if is_secure:
        response.cookies[name]["samesite"] = PARTITIONED


def drop_cookie(request: HttpRequest | Request, response: HttpResponseBase) -> None:
    """Take the session from the browser."""
    is_secure, name = request.is_secure(), name_cookie(request)
    response.set_cookie(name, "", max_age=0, path="/", secure=is_secure, samesite="None" if is_secure else "Lax")
    if is_secure:
        response.cookies[name]["samesite"] = PARTITIONED


def make_caller(visit: OpenVisit) -> Caller:
    """The person as a caller of the API: a key for one user, which may do what the link allows (D-40)."""
    return Caller(
        key_id=visit.id,
        tenant_id=visit.user.tenant_id,
        tenant_slug=visit.tenant_slug,
        timezone=visit.timezone,
        scopes=frozenset(scope for name in visit.permissions for scope in SCOPES[name]),
        requests_per_minute=settings.UNDE_TUNING.VISIT_REQUESTS_PER_MINUTE,
        user_id=visit.user.id,
        user=visit.user.external_id,
    )
