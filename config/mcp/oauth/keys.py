"""The public keys of an authorization server, kept in the process: its tokens are checked without asking it each time.

A token with an unknown key id makes us ask again, at most once in a while, so that made-up tokens cannot make this
service a flood for another one. While the server is away its last keys go on for an hour.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import jwt
import structlog
from django.conf import settings

from config.mcp.oauth.fetching import NotFetched, fetch_json, list_metadata_urls
from memory.errors import CodedError
from memory.tenants.types import AuthorizationServer

logger = structlog.get_logger(__name__)


class AuthorizationServerAway(CodedError):
    """The keys of the tenant's authorization server cannot be had now."""

    code = "authorization_server_unavailable"
    status = 503
    default_message = "The authorization server cannot be reached, so the token cannot be checked. Try again."
    retry_after_seconds = 30


@dataclass(slots=True)
class _Known:
    keys: Mapping[str | None, jwt.PyJWK] = field(default_factory=dict)
    fetched_at: float = -1e9
    tried_at: float = -1e9
    lock: threading.Lock = field(default_factory=threading.Lock)


class KeyStore:
    """Keys by authorization server. Safe to use from many threads; one at a time asks each server."""

    def __init__(
        self, *, fetch: Callable[[str], dict[str, Any]] = fetch_json, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetch, self._clock = fetch, clock
        self._known: dict[tuple[str, str], _Known] = {}
        self._lock = threading.Lock()

    def find_key(self, server: AuthorizationServer, key_id: str | None) -> jwt.PyJWK | None:
        """The key of that id; of a token without one the only key. None where the server has none such.

        Raises AuthorizationServerAway where its keys were never had, or are too old. A server that takes its time
        holds up the request that asks it; others go on with the keys that are known, or are sent away after a second.
        """
        tuning, now = settings.UNDE_TUNING, self._clock()
        with self._lock:
            known = self._known.setdefault((server.issuer, server.jwks_url), _Known())
        if now - known.fetched_at <= tuning.OAUTH_KEYS_SECONDS and (key := _choose(known.keys, key_id)):
            return key
        if known.lock.acquire(timeout=tuning.OAUTH_WAIT_SECONDS):
            try:
                self._refresh_if_due(known, server, key_id, now)
            finally:
                known.lock.release()
        if now - known.fetched_at > tuning.OAUTH_STALE_SECONDS:
            raise AuthorizationServerAway
        return _choose(known.keys, key_id)

    def _refresh_if_due(self, known: _Known, server: AuthorizationServer, key_id: str | None, now: float) -> None:
        tuning = settings.UNDE_TUNING
        is_old = now - known.fetched_at > tuning.OAUTH_KEYS_SECONDS
        may_ask = now - known.tried_at > tuning.OAUTH_RETRY_SECONDS
        if may_ask and (is_old or _choose(known.keys, key_id) is None):
            self._refresh(known, server, now)

    def _refresh(self, known: _Known, server: AuthorizationServer, now: float) -> None:
        known.tried_at = now
        try:
            known.keys, known.fetched_at = fetch_keys(server, fetch=self._fetch), now
        except NotFetched as error:
            logger.warning("authorization_server_not_read", code=str(error))


def fetch_keys(server: AuthorizationServer, *, fetch: Callable[[str], dict[str, Any]]) -> dict[str | None, jwt.PyJWK]:
    """The public keys of a server by their ids, asked for now. Calls the network. Raises NotFetched."""
    return _read_keys(fetch(server.jwks_url or _find_jwks_url(server.issuer, fetch=fetch)))


def _find_jwks_url(issuer: str, *, fetch: Callable[[str], dict[str, Any]]) -> str:
    code = "no_metadata"
    for url in list_metadata_urls(issuer):
        try:
            metadata = fetch(url)
        except NotFetched as error:
            code = str(error)
            continue
        if metadata.get("issuer") != issuer:  # RFC 8414, 3.3: another's metadata is not to be used
            raise NotFetched("other_issuer")
        if isinstance(found := metadata.get("jwks_uri"), str):
            return found
    raise NotFetched(code)


def _read_keys(document: Mapping[str, Any]) -> dict[str | None, jwt.PyJWK]:
    rows = document.get("keys")
    if not isinstance(rows, list):
        raise NotFetched("no_keys")
    keys: dict[str | None, jwt.PyJWK] = {}
    for row in rows[: settings.UNDE_TUNING.OAUTH_MAX_KEYS]:
        if not isinstance(row, dict) or row.get("use", "sig") != "sig" or row.get("kty") == "oct":
            continue
        try:
            key = jwt.PyJWK(row)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue  # of a kind that this library does not know
        keys[key.key_id] = key
    return keys


def _choose(keys: Mapping[str | None, jwt.PyJWK], key_id: str | None) -> jwt.PyJWK | None:
    if key_id is not None:
        return keys.get(key_id)
    return next(iter(keys.values())) if len(keys) == 1 else None


KEYS: Final = KeyStore()
