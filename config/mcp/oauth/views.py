"""The door for tokens, and the document that says where they are given out. `/mcp` itself points nowhere."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponseBase

from config.api.authentication import read_bearer
from config.api.errors import MethodNotAllowed, answer_error
from config.api.rendering import Answer
from config.api.throttling import check_rate
from config.mcp.oauth.tokens import InvalidToken, TokenScopeMissing, read_caller
from config.mcp.views import answer_for, check_origin
from memory.errors import CodedError, NotFound
from memory.tenants.errors import InvalidKey, MissingBearer, MissingKey
from memory.tenants.models import Tenant
from memory.tenants.selectors import get_tenant
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import AuthorizationServer

WELL_KNOWN = "/.well-known/oauth-protected-resource"


def answer_mcp_by_token(request: HttpRequest, tenant: str) -> HttpResponseBase:
    """As `/mcp`, under a token of the tenant's authorization server; it means the user that its claim names."""
    server: AuthorizationServer | None = None
    try:
        check_origin(request)
        owner, server = find_server(tenant)
        if request.method != "POST":
            raise MethodNotAllowed
        caller = read_caller(read_token(request), tenant=owner, server=server)
        check_rate(caller)
        return answer_for(request, caller)
    except Exception as error:
        answer = answer_error(error)
        if isinstance(error, MethodNotAllowed):
            answer.headers["Allow"] = "POST"
        if server is not None and isinstance(error, CodedError) and error.status in (401, 403):
            answer.headers["WWW-Authenticate"] = write_challenge(error, server)
        return answer


def answer_metadata(request: HttpRequest, tenant: str) -> HttpResponseBase:
    """RFC 9728: which resource this is, and who gives out tokens for it."""
    try:
        _, server = find_server(tenant)
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed
    except Exception as error:
        return answer_error(error)
    found = {
        "resource": server.resource,
        "authorization_servers": [server.issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "UNDE Memory",
        **({"scopes_supported": [server.required_scope]} if server.required_scope else {}),
    }
    # Assistants in a browser read it from another origin; there is nothing secret in it.
    return Answer(found, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=300"})


for _view in (answer_mcp_by_token, answer_metadata):
    _view.csrf_exempt = True  # type: ignore[attr-defined]
    _view.is_way_in = True  # type: ignore[attr-defined]


def find_server(slug: str) -> tuple[Tenant, AuthorizationServer]:
    """The tenant and its authorization server. Raises NotFound, alike for no tenant and for one without."""
    try:
        tenant = get_tenant(slug=slug)
    except NotFound:
        raise NotFound from None
    server = read_settings(tenant).authorization_server
    if server is None:
        raise NotFound
    return tenant, server


def read_token(request: HttpRequest) -> str:
    """The token in the Authorization header, the only place for it. Raises MissingKey, MissingBearer, InvalidToken."""
    header = str(request.META.get("HTTP_AUTHORIZATION", ""))
    scheme, _, token = header.partition(" ")
    if len(token) > 256 and scheme.lower() == "bearer":  # longer than a key; its own limit is looked at later
        return token.strip()
    try:
        return read_bearer(header)
    except InvalidKey:
        raise InvalidToken from None


def write_challenge(error: CodedError, server: AuthorizationServer) -> str:
    """The header that leads a client to the authorization server (RFC 6750, RFC 9728)."""
    parts = urlsplit(server.resource)
    said = [f'resource_metadata="{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path}"']
    if isinstance(error, TokenScopeMissing):
        said = ['error="insufficient_scope"', f'scope="{server.required_scope}"', *said]
    elif not isinstance(error, MissingKey | MissingBearer):
        said = ['error="invalid_token"', *said]
    return f"Bearer {', '.join(said)}"
