"""An access token of the tenant's authorization server, as a caller for one user (D-40)."""

from __future__ import annotations

import uuid
from typing import Any, Final

import jwt
from django.conf import settings

from config.mcp.oauth.keys import KEYS, KeyStore
from memory.errors import CodedError, Forbidden
from memory.tenants.models import Tenant
from memory.tenants.types import AuthorizationServer, Caller, Scope

ALGORITHMS: Final = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"})
"""Signatures by a key pair. Never `none`, and never HS*: a public key would then be a password."""
_CLIENTS: Final = ("client_id", "azp")


class InvalidToken(CodedError):
    """The token is not one for this resource: one answer for every reason, so that tokens cannot be tried out."""

    code = "invalid_token"
    status = 401
    default_message = "The access token is not valid for this resource."


class TokenScopeMissing(Forbidden):
    """The token is good, and its authorization server did not give it what this resource asks for."""

    code = "insufficient_scope"
    default_message = "The access token does not have the scope that this resource needs."


def read_caller(token: str, *, tenant: Tenant, server: AuthorizationServer, keys: KeyStore = KEYS) -> Caller:
    """Whom a token speaks for. Raises InvalidToken, TokenScopeMissing, AuthorizationServerAway.

    Checked are the signature with a pinned algorithm, issuer, audience, times, and the claim that names the user.
    """
    claims = _read_claims(token, server=server, keys=keys)
    user = claims.get(server.user_claim)
    if not isinstance(user, str) or not 1 <= len(user) <= settings.UNDE_TUNING.MAX_ID_CHARACTERS or "\x00" in user:
        raise InvalidToken
    if server.required_scope and server.required_scope not in _list_scopes(claims):
        raise TokenScopeMissing(fields={"scope": server.required_scope})
    client = next((str(claims[name]) for name in _CLIENTS if claims.get(name)), "")
    return Caller(
        key_id=uuid.uuid5(tenant.id, f"oauth {server.issuer} {client}"),
        tenant_id=tenant.id,
        tenant_slug=tenant.slug,
        timezone=tenant.timezone,
        scopes=frozenset(map(Scope, server.scopes)),
        requests_per_minute=server.requests_per_minute,
        user=user,
        client=client[: settings.UNDE_TUNING.MAX_ID_CHARACTERS],
    )


def _read_claims(token: str, *, server: AuthorizationServer, keys: KeyStore) -> dict[str, Any]:
    allowed = sorted(ALGORITHMS & set(server.algorithms))
    if len(token) > settings.UNDE_TUNING.OAUTH_TOKEN_CHARACTERS:
        raise InvalidToken
    try:
        header = jwt.get_unverified_header(token)
        key = keys.find_key(server, header.get("kid")) if header.get("alg") in allowed else None
        if key is None:
            raise InvalidToken
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=allowed,
            audience=server.audience or server.resource,
            issuer=server.issuer,
            leeway=settings.UNDE_TUNING.OAUTH_LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud"]},
        )
    except (jwt.PyJWTError, ValueError, TypeError):
        raise InvalidToken from None
    return claims


def _list_scopes(claims: dict[str, Any]) -> list[str]:
    given = claims.get("scope", claims.get("scp", ""))
    return given.split() if isinstance(given, str) else [str(one) for one in given if isinstance(one, str)]
