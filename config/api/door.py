"""The short way to /v1: what sessions, forms, static files and pages need is passed by.

What the longer way does for an API is done here: the host is checked, TLS asked for where the installation says so, and
the headers of `config.headers` and Django's own are put on the answer. Health and metrics come this way too, whatever
host they are asked under: balancers and scrapers call a machine by its address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.security import SecurityMiddleware
from django.urls import Resolver404, ResolverMatch, get_resolver, get_urlconf

from config.api.rendering import render
from config.api.views import ApiView
from config.headers import API_POLICY, POLICY

PREFIXES: Final = ("/v1/", "/mcp", "/mem0/", "/opendsr/", "/.well-known/oauth-")
PROBES: Final = frozenset({"/healthz", "/readyz", "/metrics"})


class ApiDoorMiddleware:
    """Answers requests to views of the API and the probes; every other goes on to the middleware after it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._security = SecurityMiddleware(get_response)
        self._headers = {POLICY: API_POLICY, "X-Frame-Options": settings.X_FRAME_OPTIONS}
        self._matches: dict[tuple[Any, str], ResolverMatch] = {}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_probe = request.path_info in PROBES
        match = self._find_view(request) if is_probe or request.path_info.startswith(PREFIXES) else None
        if match is None:
            return self.get_response(request)
        redirect = None if is_probe else self._security.process_request(request)
        response: HttpResponseBase
        if redirect is not None:
            response = redirect
        else:
            if not is_probe:
                request.get_host()  # raises DisallowedHost
            request.resolver_match = match
            response = render(match.func(request, *match.args, **match.kwargs))
        for name, value in self._headers.items():
            response.headers.setdefault(name, value)
        return self._security.process_response(request, cast("HttpResponse", response))

    def _find_view(self, request: HttpRequest) -> ResolverMatch | None:
        key = (getattr(request, "urlconf", None) or get_urlconf() or settings.ROOT_URLCONF, request.path_info)
        found = self._matches.get(key)
        if found is not None:
            return found
        try:
            match = get_resolver(key[0]).resolve(request.path_info)
        except Resolver404:
            return None
        is_view = issubclass(getattr(match.func, "cls", object), ApiView) or hasattr(match.func, "is_way_in")
        if request.path_info not in PROBES and not is_view:
            return None
        if not match.kwargs:
            self._matches[key] = match  # paths without a variable are few
        return match
