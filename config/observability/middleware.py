"""One id, one log line and one measurement for every request."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final

import structlog
from django.http import HttpRequest, HttpResponseBase

from config.observability.logs import log_request
from config.observability.metrics import observe_request
from memory.ids import new_id

_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")
_QUIET: Final = frozenset({"healthz", "readyz", "metrics"})


class RequestContextMiddleware:
    """Binds `request_id` to all log lines of a request, answers it in `X-Request-ID`, and writes the access line.

    The route's pattern is logged, never the path: a path names users by the tenant's own ids (SPEC G-6). An id given
    in `X-Request-ID` (8-64 letters, digits, - or _) is kept, so that a caller's logs and ours can be joined.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began_at = time.perf_counter()
        structlog.contextvars.clear_contextvars()
        request_id = _choose_request_id(request)
        structlog.contextvars.bind_contextvars(request_id=request_id)
        response = self.get_response(request)
        response["X-Request-ID"] = request_id
        _record(request, status=response.status_code, seconds=time.perf_counter() - began_at)
        return response


def _choose_request_id(request: HttpRequest) -> str:
    given = request.headers.get("X-Request-ID", "")
    return given if _GIVEN_ID.fullmatch(given) else new_id().hex


def _record(request: HttpRequest, *, status: int, seconds: float) -> None:
    match = request.resolver_match
    route = match.route if match else "unknown"
    method = request.method or "unknown"
    observe_request(method=method, route=route, status=status, seconds=seconds)
    if route.strip("^$/") not in _QUIET:
        log_request(__name__, method=method, route=route, status=status, duration_ms=round(seconds * 1000, 1))
