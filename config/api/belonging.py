"""Whose memory a request may touch: a key for one user means that user in every way in (D-40).

What a view is asked for is refused unless it is known to be this user's: a new endpoint is closed to such keys until
its path or its body names the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote
from uuid import UUID

from django.http import HttpRequest
from rest_framework.request import Request

from memory.episodes.selectors import get_episode_owner
from memory.erasure.selectors import find_erasure_owner
from memory.errors import Forbidden, InvalidRequest, NotFound
from memory.imports.requests import find_import_owner
from memory.projects.errors import AmbiguousId
from memory.projects.selectors.projects import find_bare_item, find_project
from memory.selectors.users import find_owner
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Caller, Scope
from memory.types import UserRef
from retrieval.receipts.reading import find_receipt

USER_HEADER: Final = "X-UNDE-User"
MAX_USER_CHARACTERS: Final = 128
EXTENDED_VALUE: Final = re.compile(r"utf-8'[a-z0-9-]*'", re.IGNORECASE)
HOW_TO_NAME: Final = "write what is not ASCII percent-encoded, as in UTF-8''%D9%84"
SHARED: Final = frozenset({Scope.KNOWLEDGE_READ})
"""Scopes of what belongs to the tenant as a whole and shows nothing of a user."""
_MISSING: Final = object()


class OtherUser(Forbidden):
    """The key is for one user, and the request names another."""

    code = "other_user"
    default_message = "This API key is for one user, and the request names another one."


class TenantKeyNeeded(Forbidden):
    """The key is for one user, and the call is about the tenant, or does not say whose memory it is about."""

    code = "tenant_key_needed"
    default_message = "This API key is for one user. The call needs a key of the tenant, or must name that user."


class UserRequired(InvalidRequest):
    """Nothing says whose memory is meant."""

    code = "user_required"
    default_message = f"Name the user in the header {USER_HEADER}, or use a key that is for one user."


def _find_receipt_owner(receipt_id: UUID, tenant_id: UUID) -> UserRef | None:
    receipt = find_receipt(receipt_id=receipt_id, tenant_id=tenant_id)
    return UserRef(id=receipt.user_id, tenant_id=tenant_id) if receipt else None


def _find_episode_owner(episode_id: UUID, tenant_id: UUID) -> UserRef | None:
    try:
        return get_episode_owner(tenant_id=tenant_id, episode_id=episode_id)
    except NotFound:
        return None


def _find_operation_owner(operation_id: UUID, tenant_id: UUID) -> UserRef | None:
    owner = find_erasure_owner(tenant_id=tenant_id, erasure_id=operation_id)
    owner = owner or find_import_owner(tenant_id=tenant_id, import_id=operation_id)
    return owner or find_owner("forget", operation_id, tenant_id=tenant_id)


_OWNERS: Final[Mapping[str, Callable[[UUID, UUID], UserRef | None]]] = {
    "message_id": lambda id, tenant_id: find_owner("message", id, tenant_id=tenant_id),
    "fact_id": lambda id, tenant_id: find_owner("fact", id, tenant_id=tenant_id),
    "batch_id": lambda id, tenant_id: find_owner("forget", id, tenant_id=tenant_id),
    "erasure_id": lambda id, tenant_id: find_erasure_owner(tenant_id=tenant_id, erasure_id=id),
    "operation_id": _find_operation_owner,
    "receipt_id": _find_receipt_owner,
    "episode_id": _find_episode_owner,
}
"""Objects of users that a path or a body may name by an id of ours."""


def _find_items(kind: str, external_id: str, caller: Caller) -> bool:
    """Whether a project of the caller's user has such an item."""
    try:
        find_bare_item(tenant_id=caller.tenant_id, kind=kind, external_id=external_id, user_id=caller.user_id)
    except AmbiguousId:
        return True
    except NotFound:
        return False
    return True


def _owns_project(name: str, value: Any, caller: Caller) -> bool:
    found = find_project(tenant_id=caller.tenant_id, external_id=value)
    return found is not None and found.user_id == caller.user_id


_PROJECT_PARTS: Final[Mapping[str, Callable[[str, Any, Caller], bool]]] = {
    "project": _owns_project,
    "snapshot_id": lambda name, value, caller: _find_items("snapshot", str(value), caller),
    "decision": lambda name, value, caller: _find_items("decision", value, caller),
}
"""What a path names of projects. All that is in a user's own project is the user's; a shared one is the tenant's."""


def check_path(caller: Caller, *, path: Mapping[str, Any], scope: Scope) -> bool:
    """Whether the path of a request is the caller's to ask for: True when it says whose memory is meant.

    Raises OtherUser, TenantKeyNeeded, and NotFound for an object of another user, as for one that is not there.
    """
    if caller.user is None or scope in SHARED:
        return True
    if "user_id" in path:
        if path["user_id"] != caller.user:
            raise OtherUser(fields={"user_id": "is not the user of this key"})
        return True
    part = next((name for name in _PROJECT_PARTS if name in path), None)
    if part is not None:
        with tenant_scope(caller.tenant_id):
            if caller.user_id is None or not _PROJECT_PARTS[part](part, path[part], caller):
                raise NotFound(fields={part: "unknown"})
        return True
    for name, value in path.items():
        if name not in _OWNERS:
            raise TenantKeyNeeded
        check_owner(caller, name=name, value=value)
    return bool(path)


def check_owner(caller: Caller, *, name: str, value: UUID) -> None:
    """Raise NotFound unless the object is of the caller's user."""
    with tenant_scope(caller.tenant_id):
        owner = _OWNERS[name](value, caller.tenant_id)
    if owner is None or owner.id != caller.user_id:
        raise NotFound(fields={name: "unknown"})


def check_body(caller: Caller, body: Any, *, is_named: bool) -> None:
    """Raise OtherUser, NotFound or TenantKeyNeeded unless the body is about the caller's user.

    `is_named`: the path said so already.
    """
    if caller.user is None:
        return
    user, receipt_id = getattr(body, "user_id", _MISSING), getattr(body, "receipt_id", None)
    if user not in (_MISSING, None) and user != caller.user:
        raise OtherUser(fields={"user_id": "is not the user of this key"})
    if user == caller.user or is_named:
        return
    if receipt_id is None:
        raise TenantKeyNeeded
    check_owner(caller, name="receipt_id", value=receipt_id)


def find_named_user(request: HttpRequest | Request, caller: Caller) -> str | None:
    """The user of the key, or the one that the app names in the header; None where neither does.

    Raises OtherUser where both do and differ, InvalidRequest for what can't be an id.
    """
    raw = request.headers.get(USER_HEADER)
    if raw is None:
        return caller.user
    named = _read_header(raw)
    if not 1 <= len(named) <= MAX_USER_CHARACTERS or "\x00" in named:
        raise InvalidRequest(fields={USER_HEADER: f"must have 1 to {MAX_USER_CHARACTERS} characters; {HOW_TO_NAME}"})
    if caller.user is not None and named != caller.user:
        raise OtherUser(fields={USER_HEADER: "is not the user of this key"})
    return named


def _read_header(raw: str) -> str:
    """The words of a header: percent-encoded (RFC 8187), as web servers drop what is not ASCII, or as they are."""
    encoded = EXTENDED_VALUE.match(raw)
    try:
        if encoded:
            return unquote(raw[encoded.end() :], errors="strict")
        return raw.encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise InvalidRequest(fields={USER_HEADER: f"must be UTF-8; {HOW_TO_NAME}"}) from None
