"""JSON from an authorization server: to a public address, over https, small, soon, and without redirects."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
import msgspec
from django.conf import settings

from config.webhooks.addresses import find_target
from config.webhooks.deadlines import DeadlineTransport
from config.webhooks.sending import build_request
from config.webhooks.tasks import list_allowed_networks
from memory.bodies import ACCEPTED, BodyTooLong, BodyUnreadable, read_body
from memory.errors import InvalidRequest


class NotFetched(Exception):
    """Nothing usable came; the message is a code, never what the other side sent."""


def fetch_json(url: str) -> dict[str, Any]:
    """The JSON object at a URL. Raises NotFetched."""
    tuning = settings.UNDE_TUNING
    try:
        target = find_target(url, allowed=list_allowed_networks())
        transport = DeadlineTransport(seconds=tuning.OAUTH_TIMEOUT_SECONDS)
        with httpx.Client(transport=transport, timeout=tuning.OAUTH_TIMEOUT_SECONDS, trust_env=False) as client:
            headers = {"accept": "application/json", "accept-encoding": ACCEPTED}
            request = build_request(client, "GET", target, headers=headers)
            response = client.send(request, stream=True)
            try:
                content = _read(response, limit=tuning.OAUTH_DOCUMENT_BYTES)
            finally:
                response.close()
    except InvalidRequest:
        raise NotFetched("address_refused") from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError):
        raise NotFetched("connection_failed") from None
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotFetched("not_json") from None


def _read(response: httpx.Response, *, limit: int) -> bytes:
    if response.status_code != 200:
        raise NotFetched("refused")
    try:
        return read_body(response, limit=limit)
    except BodyTooLong:
        raise NotFetched("too_large") from None
    except BodyUnreadable:
        raise NotFetched("not_json") from None


def list_metadata_urls(issuer: str) -> list[str]:
    """Where an issuer says what it is: RFC 8414, then OpenID Connect Discovery in both of its forms."""
    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")

    def at(where: str) -> str:
        return urlunsplit((parts.scheme, parts.netloc, where, "", ""))

    known = [at(f"/.well-known/{name}{path}") for name in ("oauth-authorization-server", "openid-configuration")]
    return [*known, *([at(f"{path}/.well-known/openid-configuration")] if path else [])]
