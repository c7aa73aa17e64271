"""The shell of the views under `/v1/me`: a session of the page in place of a key, and what its link permits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rest_framework.request import Request

from config.api.authentication import ApiKeyAuthentication
from config.api.belonging import check_owner
from config.api.schema import describe
from config.api.views import ApiView
from config.me.sessions import SAFE, Session, check_form, find_session, make_caller
from memory.tenants.types import Caller, Scope
from memory.visits.types import OpenVisit


class VisitAuthentication(ApiKeyAuthentication):
    """What the OpenAPI document says of these views: a session of the page."""


class VisitView(ApiView):
    """Base of the views under /v1/me. `permissions` says what of the link each method needs."""

    permissions: ClassVar[Mapping[str, str]] = {}
    authentication_classes = [VisitAuthentication]
    checks_user = True
    session: Session

    @classmethod
    def name_need(cls, method: str) -> str:
        """What the OpenAPI document says of who may call."""
        wanted = cls.permissions.get(method)
        return f"Permission of the link: `{wanted}`." if wanted else "It needs no permission."

    def __init_subclass__(cls, **kwargs: Any) -> None:
        methods = [name for name in ("GET", "POST", "PUT", "DELETE") if hasattr(cls, name.lower())]
        cls.scopes = dict.fromkeys(methods, Scope.READ)
        super().__init_subclass__(**kwargs)

    @property
    def visit(self) -> OpenVisit:
        """Whose page it is."""
        return self.session.visit

    def perform_authentication(self, request: Request) -> None:
        """A session in place of a key."""
        self.caller = self.authenticate(request)
        request.user, request.auth = None, self.caller  # type: ignore[assignment]  # no login of Django's

    def authenticate(self, request: Request) -> Caller:
        """The person of the session. Raises SessionOver, MissingPermission, BadFormToken."""
        self.session = find_session(request)
        method = request.method or ""
        if method not in SAFE:
            check_form(request, self.session)
        wanted = self.permissions.get("GET" if method == "HEAD" else method)
        if wanted is not None:
            self.session.check(wanted)
        return make_caller(self.visit)

    def _check_user(self, method: str, path: Mapping[str, Any]) -> None:
        self.is_named = True
        for name, value in path.items():
            if name != "item_id":
                check_owner(self.caller, name=name, value=value)


def describe_me(summary: str, description: str, **more: Any) -> Callable[..., Any]:
    """What all of them have in common in the document."""
    return describe(summary=summary, description=description, tag="memory page", **more)
