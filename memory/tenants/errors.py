"""What can go wrong with keys, tenants and staff."""

from __future__ import annotations

from memory.errors import CodedError, Conflict, Forbidden


class InvalidKey(CodedError):
    """No such key, or it is revoked or expired. The three answer alike, so that keys cannot be tried out."""

    code = "invalid_key"
    status = 401
    default_message = "The API key is unknown, revoked or expired."


class MissingKey(CodedError):
    """The request has no `Authorization` header."""

    code = "missing_key"
    status = 401
    default_message = "The request has no API key. Send the header Authorization: Bearer <key>."


class MissingBearer(CodedError):
    """There is an `Authorization` header, and it is not the word Bearer with a key after it."""

    code = "missing_bearer"
    status = 401
    default_message = "The Authorization header must be the word Bearer, a space and the API key."


class MissingScope(Forbidden):
    """The key is good but may not do this."""

    code = "missing_scope"
    default_message = "The API key does not have the scope that this call needs."


class RateLimited(CodedError):
    """The key has used up its requests of this minute."""

    code = "rate_limited"
    status = 429
    default_message = "Too many requests for this API key. Try again later."
    retry_after_seconds = 60


class TenantExists(Conflict):
    """A tenant with this slug is there already."""

    code = "tenant_exists"
    default_message = "A tenant with this slug already exists."


class KeyExists(Conflict):
    """A working key with this name or this secret is there already."""

    code = "key_exists"
    default_message = "An active key with this name or secret already exists."
