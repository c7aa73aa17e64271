"""What a tool works with: the request it came by, and the one user it is about. Tools name no user (D-40)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from config.api.inside import call_inside
from memory.errors import CodedError
from memory.tenants.types import Caller


class ToolRefused(CodedError):
    """A call under a tool was refused: its own code, sentence and fields."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(str(body.get("message", "")), fields=body.get("fields", {}))
        self.code, self.status = str(body.get("code", "internal_error")), status


@dataclass(frozen=True, slots=True)
class Desk:
    """One request of one user. `caller` is bound to the user, whatever key it came with."""

    request: HttpRequest
    caller: Caller

    @property
    def user(self) -> str:
        """The tenant's own id of the user."""
        assert self.caller.user is not None
        return self.caller.user

    @property
    def client(self) -> str:
        """Who speaks for the user: the client that a token names, else the key."""
        return self.caller.client or str(self.caller.key_id)

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The answer of a call of the API. Raises ToolRefused."""
        answer = call_inside(self.request, self.caller, method, path, body=body, query=query)
        if not answer.is_good:
            raise ToolRefused(answer.status, answer.body or {})
        return answer.body
