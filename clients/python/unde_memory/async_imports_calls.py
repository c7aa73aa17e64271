"""Calls about files that come in, and about work that goes on in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from unde_memory.async_sending import AsyncSending
from unde_memory.errors import UnexpectedAnswer, make_error
from unde_memory.transport import UNSET, UnsetType, fill, once, operation
from unde_memory.types import Imported, Operation


class AsyncImportsCalls(AsyncSending):
    """Calls about files that come in, and about work that goes on in the background."""

    @operation("POST /v1/users/{user_id}/import")
    async def import_lines(
        self,
        user_id: str,
        lines: bytes,
        *,
        format: Literal["unde", "jsonl", "mem0", "zep", "hindsight"] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        timeout: float = 600.0,
    ) -> Imported:
        """Import a user's memory: JSON Lines of our export, plain messages, or another system's export.

        Returns when it is over. A large file is taken by a worker of the service, and is waited for.
        """
        answer = await self._send_lines(user_id, lines, format, idempotency_key)
        if "kind" not in answer:
            return msgspec.convert(answer, Imported)
        done = await self.wait_for_operation(answer["id"], timeout=timeout)
        if done.result is None:
            raise UnexpectedAnswer("the import is over and says nothing of what it stored")
        return done.result

    async def start_import(
        self,
        user_id: str,
        lines: bytes,
        *,
        format: Literal["unde", "jsonl", "mem0", "zep", "hindsight"] | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> Operation:
        """As `import_lines`, and return at once: `wait_for_operation(started.id)` says what it stored."""
        answer = await self._send_lines(user_id, lines, format, idempotency_key, {"Prefer": "respond-async"})
        return msgspec.convert(answer, Operation, strict=False)

    async def _send_lines(
        self,
        user_id: str,
        lines: bytes,
        format: str | UnsetType,
        idempotency_key: str | None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        return await self.request(
            "POST",
            fill("/v1/users/{user_id}/import", user_id=user_id),
            dict[str, Any],
            query={"format": format},
            content=lines,
            headers={**once(idempotency_key), **(headers or {})},
        )

    @operation("GET /v1/operations/{operation_id}")
    async def get_operation(self, operation_id: str) -> Operation:
        """How far some work is: ask again until it has succeeded or failed."""
        return await self.request("GET", fill("/v1/operations/{operation_id}", operation_id=operation_id), Operation)

    async def wait_for_operation(self, operation_id: str, *, timeout: float = 600.0) -> Operation:
        """Ask until the work is over, ever less often, and answer it as it ended.

        Raises the coded error of work that failed, and TimeoutError after `timeout` seconds: it goes on all the same.
        """
        pause, waited = 0.2, 0.0
        while True:
            found = await self.get_operation(operation_id)
            if found.error is not None:
                raise make_error(
                    status=0, code=found.error.code, message=found.error.message, fields=found.error.fields
                )
            if found.is_over:
                return found
            if waited >= timeout:
                raise TimeoutError(f"operation {operation_id} is not over after {timeout:g} seconds")
            await asyncio.sleep(pause)
            waited, pause = waited + pause, min(pause * 1.5, 5.0)
