"""The door: key, host and origin, then the SDK on the loop of the process; its answer as it comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from config.api.authentication import authenticate
from config.api.belonging import find_named_user
from config.api.decoding import SINGLE_BODY_LIMIT, read_bytes
from config.api.errors import MethodNotAllowed, answer_error
from config.mcp.desk import Desk
from config.mcp.exchange import Exchange, LoopEnded, Piece, Start
from config.mcp.messages import find_fault
from memory.errors import CodedError, Forbidden
from memory.tenants.types import Caller

LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
PASSED_ON: Final = ("content-type", "mcp-session-id", "mcp-protocol-version", "cache-control")


class ForeignOrigin(Forbidden):
    """The request comes from a page, or under a host, that this installation does not know (DNS rebinding)."""

    code = "foreign_origin"
    default_message = "The Host or the Origin of the request is not one of this installation."


class LoopBusy(CodedError):
    """The SDK broke off."""

    code = "mcp_unavailable"
    status = 503
    default_message = "The request could not be answered. Try again."
    retry_after_seconds = 1


def answer_mcp(request: HttpRequest) -> HttpResponseBase:
    """POST: one message of the protocol and its answer. There are no streams of ours and no sessions: else 405."""
    try:
        return _answer(request)
    except Exception as error:
        answer = answer_error(error)
        if isinstance(error, MethodNotAllowed):
            answer.headers["Allow"] = "POST"
        return answer


answer_mcp.csrf_exempt = True  # type: ignore[attr-defined]
answer_mcp.is_way_in = True  # type: ignore[attr-defined]


def _answer(request: HttpRequest) -> HttpResponseBase:
    check_origin(request)
    if request.method != "POST":
        raise MethodNotAllowed
    return answer_for(request, authenticate(request))


def answer_for(request: HttpRequest, caller: Caller) -> HttpResponseBase:
    """The answer of the protocol to a caller who is known. Raises OtherUser, LoopBusy, and what is too large."""
    user = find_named_user(request, caller)
    body = read_bytes(request, limit=SINGLE_BODY_LIMIT)
    refusal = find_fault(request.content_type or "", body)
    if refusal is not None:
        return refusal
    desk = Desk(request, caller, user) if user is not None else None
    from config.mcp.loop import get_loop  # the SDK takes seconds to load: a process that serves no MCP is spared

    loop = get_loop()
    exchange = Exchange(body=body, loop=loop.loop, desk=desk)
    loop.begin(exchange, write_scope(request))
    events = exchange.list_events()
    try:
        start = next(events)
    except LoopEnded:
        raise LoopBusy from None
    assert isinstance(start, Start)
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in start.headers}
    if headers.get("content-type", "").startswith("text/event-stream"):
        response: HttpResponseBase = StreamingHttpResponse(_stream(events), status=start.status)
    else:
        response = HttpResponse(b"".join(_stream(events)), status=start.status)
    for name in PASSED_ON:
        if name in headers:
            response.headers[name] = headers[name]
    return response


def check_origin(request: HttpRequest) -> None:
    """Raise ForeignOrigin unless host, and origin where there is one, are of this installation."""
    try:
        host = request.get_host()
    except DisallowedHost:
        raise ForeignOrigin(fields={"Host": "is not allowed"}) from None
    origin = request.headers.get("Origin")
    if origin is None:
        return
    found = urlsplit(origin)
    name = found.hostname or ""
    is_local = name in LOCAL and (urlsplit(f"//{host}").hostname or "") in LOCAL
    if not (found.netloc == host or is_local or origin in settings.CSRF_TRUSTED_ORIGINS):
        raise ForeignOrigin(fields={"Origin": "is not allowed"})


def write_scope(request: HttpRequest) -> dict[str, Any]:
    """The request as ASGI says it. The key stays here."""
    headers = [
        (name.lower().encode(), value.encode("latin-1"))
        for name, value in request.headers.items()
        if name.lower() not in ("authorization", "x-api-key", "cookie")
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path_info,
        "raw_path": request.path_info.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": None,
        "server": None,
    }


def _stream(events: Iterator[Start | Piece]) -> Iterator[bytes]:
    try:
        for event in events:
            if isinstance(event, Piece) and event.body:
                yield event.body
    except LoopEnded:
        return
