"""Calls about where a memory is from: who told what."""

from __future__ import annotations

from typing import Literal

from unde_memory.sync_sending import Sending
from unde_memory.transport import UNSET, UnsetType, fill, once, operation
from unde_memory.types import SourceForgotten, TellingSources


class SourcesCalls(Sending):
    """Calls about where a memory is from."""

    @operation("GET /v1/users/{user_id}/sources")
    def list_sources(self, user_id: str) -> TellingSources:
        """Who told us: the app, a model through MCP, or an import, by client."""
        return self.request("GET", fill("/v1/users/{user_id}/sources", user_id=user_id), TellingSources)

    @operation("POST /v1/users/{user_id}/sources/remove")
    def forget_source(
        self,
        user_id: str,
        *,
        via: Literal["app", "mcp", "import"],
        client: str | UnsetType = UNSET,
        dry_run: bool | UnsetType = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> SourceForgotten:
        """Forget everything that one client told."""
        return self.request(
            "POST",
            fill("/v1/users/{user_id}/sources/remove", user_id=user_id),
            SourceForgotten,
            body={"via": via, "client": client, "dry_run": dry_run, "reason": reason},
            headers=once(idempotency_key),
        )
