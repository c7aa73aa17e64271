"""Whether an authorization server is what a tenant says: asked once, when staff save it, as later for every token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from config.mcp.oauth.fetching import NotFetched, fetch_json
from config.mcp.oauth.keys import fetch_keys
from memory.errors import InvalidRequest
from memory.tenants.types import AuthorizationServer

SENTENCES: Final[Mapping[str, str]] = {
    "address_refused": "must be https:// and lead to the public internet, not into a private network",
    "connection_failed": "nobody answers at this address: check the name and the port",
    "refused": "no metadata is there: the server answers with another status than 200",
    "too_large": "what is there is far too large to be metadata or keys",
    "not_json": "what is there is not JSON: is it a web page?",
    "other_issuer": "the metadata there names another issuer: write it exactly as the server does",
    "no_metadata": "its metadata names no keys (jwks_uri)",
    "no_keys": "no keys are there: it is not a JSON Web Key Set",
    "no_usable_keys": "no public key is there that signatures can be checked with",
}
"""What is said of each code of `NotFetched`, as the end of a sentence about a field."""


def check_server(server: AuthorizationServer, *, fetch: Callable[[str], dict[str, Any]] = fetch_json) -> int:
    """How many keys the server has now. Calls the network. Raises InvalidRequest that names the field."""
    try:
        keys = fetch_keys(server, fetch=fetch)
        if not keys:
            raise NotFetched("no_usable_keys")
    except NotFetched as error:
        field = "jwks_url" if server.jwks_url else "issuer"
        raise InvalidRequest(fields={field: SENTENCES[str(error)]}) from None
    return len(keys)
