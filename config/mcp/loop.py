"""The event loop of the process: one thread that holds the SDK's session manager, started by the first request."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Mapping
from typing import Any

import structlog
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from config.mcp.exchange import Exchange
from config.mcp.server import EXCHANGE, build_server

logger = structlog.get_logger(__name__)
logging.getLogger("mcp").setLevel(logging.WARNING)  # a line for each request says nothing that ours does not

_lock = threading.Lock()
_running: tuple[int, Loop] | None = None


class Loop:
    """The thread and its manager. Each request is complete in itself: no session is kept, so any process may answer."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._is_ready = threading.Event()
        self._manager = StreamableHTTPSessionManager(build_server(), json_response=True, stateless=True)
        threading.Thread(target=self._run, name="mcp", daemon=True).start()
        self._is_ready.wait()

    def begin(self, exchange: Exchange, scope: Mapping[str, Any]) -> None:
        """Let the SDK answer a request. Called from its thread."""
        asyncio.run_coroutine_threadsafe(self._answer(exchange, {**scope, EXCHANGE: exchange}), self.loop)

    async def _answer(self, exchange: Exchange, scope: dict[str, Any]) -> None:
        try:
            await self._manager.handle_request(scope, exchange.receive, exchange.send)  # type: ignore[arg-type]
        except Exception as error:
            logger.error("mcp_failed", kind=type(error).__name__)
        finally:
            exchange.end()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._hold())

    async def _hold(self) -> None:
        async with self._manager.run():
            self._is_ready.set()
            await asyncio.Event().wait()


def get_loop() -> Loop:
    """The loop of this process, made when there is none. A process that was forked makes its own."""
    global _running
    with _lock:
        if _running is None or _running[0] != os.getpid():
            _running = (os.getpid(), Loop())
        return _running[1]
