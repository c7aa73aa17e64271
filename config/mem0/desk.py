"""Whose memories a request is about, and the calls of the API that it comes down to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest

from config.api.belonging import OtherUser, find_named_user
from config.api.inside import bind_caller, call_inside
from config.mem0.errors import BadRequest, MemoryNotFound, from_body
from config.mem0.filters import ENTITIES, Filter, is_named
from memory.selectors.users import find_owner, list_users
from memory.selectors.versions import list_versions
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Caller
from memory.types import RecordedMessage, UserRef

MAX_USERS: Final = 1_000
"""Of a question that names none."""
FORGET_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Desk:
    """One request, and who asks."""

    request: HttpRequest
    caller: Caller

    @property
    def bound_user(self) -> str | None:
        """The one user that the request may be about: by its key, or by the header of the app."""
        return find_named_user(self.request, self.caller)

    def choose_user(self, named: str | None) -> str:
        """The user of a write. Raises OtherUser, BadRequest where nobody is named."""
        bound = self.bound_user
        if bound is not None and named not in (None, bound):
            raise OtherUser(fields={"user_id": "is not the user of this key"})
        user = bound or named
        if user is None:
            raise BadRequest("At least one of the filters: agent_id, user_id, app_id, run_id is required!")
        return user

    def choose_users(self, named: Iterable[str] | None) -> list[str]:
        """The users that are meant: those named, as far as the key may see them; all where none is.

        Raises OtherUser, and BadRequest where all are too many for one request: an answer about some would look whole.
        """
        bound = self.bound_user
        if bound is not None:
            if named is not None and bound not in named:
                raise OtherUser(fields={"user_id": "is not the user of this key"})
            return [bound]
        if named is not None:
            return sorted(named)
        with tenant_scope(self.caller.tenant_id):
            rows = list_users(tenant_id=self.caller.tenant_id, after=None, limit=MAX_USERS + 1)
        if len(rows) > MAX_USERS:
            raise BadRequest(f"This is about more than {MAX_USERS} users: name those that are meant.")
        return [row.external_id for row in rows]

    def call(self, user: str, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The answer of a call of the API in the name of a user. Raises Mem0Error."""
        answer = call_inside(self.request, bind_caller(self.caller, user), method, path, body=body, query=query)
        if not answer.is_good:
            raise from_body(answer.status, answer.body or {}, retry_after=answer.retry_after)
        return answer.body

    def list_all(self, user: str, path: str, **query: Any) -> list[dict[str, Any]]:
        """Every row of a list; none for a user of whom nothing is stored."""
        rows: list[dict[str, Any]] = []
        after: str | None = None
        while True:
            answer = call_inside(
                self.request,
                bind_caller(self.caller, user),
                "GET",
                path,
                query={**query, "after": after, "limit": 200},
            )
            if answer.status == 404:
                return rows
            if not answer.is_good:
                raise from_body(answer.status, answer.body or {}, retry_after=answer.retry_after)
            rows += answer.body["results"]
            after = answer.body["next"]
            if after is None:
                return rows

    def find_memory(self, memory_id: str) -> tuple[UserRef, list[RecordedMessage]]:
        """Whose memory it is and its versions, the first before the newest. Raises BadRequest, MemoryNotFound."""
        try:
            wanted = UUID(memory_id)
        except ValueError:
            raise BadRequest("memory_id must be a valid UUID") from None
        with tenant_scope(self.caller.tenant_id):
            owner = find_owner("message", wanted, tenant_id=self.caller.tenant_id)
            versions = list_versions(user=owner, message_id=wanted) if owner else []
        bound = self.bound_user
        if owner is None or not versions or bound not in (None, owner.external_id):
            raise MemoryNotFound
        if versions[-1].forgotten_at is not None or versions[0].id != wanted:
            raise MemoryNotFound
        return owner, versions

    def forget(self, user: str, message_ids: Iterable[UUID | str]) -> int:
        """Forget messages; how many. Writes."""
        ids = list(dict.fromkeys(map(str, message_ids)))
        for start in range(0, len(ids), FORGET_AT_ONCE):
            part = {"message_ids": ids[start : start + FORGET_AT_ONCE], "reason": "mem0"}
            self.call(user, "POST", f"/v1/users/{user}/forget", part)
        return len(ids)


def check_scope(desk: Desk, wanted: Filter) -> Filter:
    """The filter, if it says whose memories are meant. Raises BadRequest: it would take everybody's (D-40)."""
    if desk.bound_user is None and not is_named(wanted):
        raise BadRequest(f"At least one of the filters is required: {', '.join(ENTITIES)}.")
    return wanted


def find_roots(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """For every message the id of its first version."""
    before = {row["id"]: row["replaces_id"] for row in rows}
    roots: dict[str, str] = {}
    for message_id in before:
        root = message_id
        while before.get(root) is not None:
            root = str(before[root])
        roots[message_id] = root
    return roots
