"""What a tool works with: the request it came by, and the one user it is about. Tools name no user (D-40)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import HttpRequest

from config.api.inside import bind_caller, call_inside
from memory.errors import CodedError
from memory.tenants.types import Caller


class ToolRefused(CodedError):
    """A call under a tool was refused: its own code, sentence and fields."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(str(body.get("message", "")), fields=body.get("fields", {}))
        self.code, self.status = str(body.get("code", "internal_error")), status


@dataclass(frozen=True)
class Desk:
    """One request of one user, whatever key it came with."""

    request: HttpRequest
    sender: Caller
    user: str
    """The tenant's own id of the user."""

    @cached_property
    def caller(self) -> Caller:
        """The sender bound to the user, with our id of the user: what is named by an id is held against it."""
        return bind_caller(self.sender, self.user)

    @property
    def client(self) -> str:
        """Who speaks for the user: the client that a token names, else the key."""
        return self.sender.client or str(self.sender.key_id)

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The answer of a call of the API. Raises ToolRefused."""
        is_named = path.startswith(f"/v1/users/{self.user}/") or (body or {}).get("user_id") == self.user
        # Where the call names the user itself, our id of the user is looked up there, and once is enough.
        caller = replace(self.sender, user=self.user) if is_named else self.caller
        answer = call_inside(self.request, caller, method, path, body=body, query=query)
        if not answer.is_good:
            raise ToolRefused(answer.status, answer.body or {})
        return answer.body
