"""JSON out, by msgspec: structs, dataclasses, UUIDs and aware times as they are."""

from __future__ import annotations

from typing import Any

import msgspec
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """JSON in UTF-8. Times become ISO 8601 with offset; dictionaries keep their order."""
    return _encoder.encode(value)


class JsonRenderer(BaseRenderer):
    """The only form of answers."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """Empty for None (204), JSON otherwise."""
        return b"" if data is None else encode(data)


class AlwaysJson(BaseContentNegotiation):
    """Answers in JSON whatever `Accept` says: a caller that asks for something else still gets a readable answer."""

    def select_parser(self, request: Request, parsers: Any) -> None:
        """No parser: bodies are read by `config.api.decoding`."""
        return

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> tuple[Any, str]:
        """The first renderer, always."""
        return renderers[0], renderers[0].media_type
