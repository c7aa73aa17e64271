"""What browsers are told about every answer: where scripts may come from, who may frame it, what is kept (SPEC A-1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

POLICY: Final = "Content-Security-Policy"


def write_policy(directives: Mapping[str, str]) -> str:
    """A policy as the header says it."""
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


_CLOSED: Final = {"default-src": "'none'", "frame-ancestors": "'none'", "base-uri": "'none'"}
API_POLICY: Final = write_policy(_CLOSED)
"""JSON and files: nothing in them is ever to be run, whatever a browser takes them for."""

_PAGES: Final = {
    **_CLOSED,
    "script-src": "'self'",
    # The frame of the console says its colours in a <style>, bars and meters their length in an attribute.
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
}
# Alpine, which the console's frame is built on, reads its attributes with `new Function`; no page puts text of a user
# into such an attribute, and a script that is slipped into a page is refused all the same.
CONSOLE_POLICY: Final = write_policy({**_PAGES, "script-src": "'self' 'unsafe-eval'"})
DOCS_POLICY: Final = write_policy(_PAGES)

_DOCS: Final = "/v1/docs"
_MACHINES: Final = ("/v1/", "/healthz", "/readyz", "/metrics")


class SecurityHeadersMiddleware:
    """Puts the policy on every answer that has none, and keeps pages about people out of caches."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        path = request.path_info
        if path.startswith(_MACHINES):
            response.headers.setdefault(POLICY, DOCS_POLICY if path == _DOCS else API_POLICY)
            return response
        response.headers.setdefault(POLICY, CONSOLE_POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        # A page that is still in the browser's cache is there for whoever sits down next.
        response.headers.setdefault("Cache-Control", "no-store")
        return response
