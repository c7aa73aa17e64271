"""JSON out, by msgspec: structs, dataclasses, UUIDs and aware times as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """JSON in UTF-8. Times become ISO 8601 with offset; dictionaries keep their order."""
    return _encoder.encode(value)


class Answer(HttpResponse):
    """A value as JSON, from a way in that is no view of REST framework; no body for None (204)."""

    def __init__(self, value: object = None, *, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(
            b"" if value is None else encode(value), content_type="application/json", status=status, headers=headers
        )


class JsonRenderer(BaseRenderer):
    """The only form of answers."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """Empty for None (204), JSON otherwise."""
        return b"" if data is None else encode(data)


def write_event(name: str, data: object, *, id: str = "") -> bytes:
    """One server-sent event with JSON in it, and an id where a reader may take the stream up again after it."""
    named = f"id: {id}\n".encode() if id else b""
    return b"event: " + name.encode() + b"\n" + named + b"data: " + encode(data) + b"\n\n"


class EventStream(StreamingHttpResponse):
    """Server-sent events, which no cache keeps and no proxy holds back."""

    def __init__(self, events: Iterable[bytes]) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, content_type="text/event-stream", headers=headers)


class AlwaysJson(BaseContentNegotiation):
    """Answers in JSON whatever `Accept` says: a caller that asks for something else still gets a readable answer."""

    def select_parser(self, request: Request, parsers: Any) -> None:
        """No parser: bodies are read by `config.api.decoding`."""
        return

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> tuple[Any, str]:
        """The first renderer, always."""
        return renderers[0], renderers[0].media_type


def render(response: HttpResponseBase) -> HttpResponseBase:
    """A response of a view with its body written, as Django's handler does, and the length of it said."""
    if isinstance(response, SimpleTemplateResponse) and not response.is_rendered:
        response = response.render()
    if isinstance(response, HttpResponse) and not response.has_header("Content-Length"):
        response.headers["Content-Length"] = str(len(response.content))
    return response
