"""Anthropic's memory tool: its directory is kept for a user instead of on a disk.

tool = UndeMemoryTool(Memory(), user="layla")
client.beta.messages.run_tools(model=..., messages=[...], tools=[tool])
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from unde_memory.errors import UndeError
from unde_memory.memory_files import MemoryCommands, MemoryFiles, Refused
from unde_memory.sync_client import Memory


class UndeMemoryTool(BetaAbstractMemoryTool):
    """The tool for `Anthropic`. The user is the app's to name: the model can't."""

    def __init__(self, memory: Memory, *, user: str, **options: Any) -> None:
        super().__init__(**options)
        self.commands = MemoryCommands(MemoryFiles(memory, user))

    def view(self, command: Any) -> str:
        """A file with line numbers, or a folder."""
        return _do(self.commands.view, command)

    def create(self, command: Any) -> str:
        """A new file."""
        return _do(self.commands.create, command)

    def str_replace(self, command: Any) -> str:
        """Other words in a file."""
        return _do(self.commands.str_replace, command)

    def insert(self, command: Any) -> str:
        """A line in a file."""
        return _do(self.commands.insert, command)

    def delete(self, command: Any) -> str:
        """A file or a folder less."""
        return _do(self.commands.delete, command)

    def rename(self, command: Any) -> str:
        """A file or a folder elsewhere."""
        return _do(self.commands.rename, command)

    def clear_all_memory(self) -> str:
        """All files less."""
        return self.commands.clear()


class AsyncUndeMemoryTool(BetaAsyncAbstractMemoryTool):
    """The tool for `AsyncAnthropic`."""

    def __init__(self, memory: Memory, *, user: str, **options: Any) -> None:
        super().__init__(**options)
        self.commands = MemoryCommands(MemoryFiles(memory, user))

    async def view(self, command: Any) -> str:
        """A file with line numbers, or a folder."""
        return await asyncio.to_thread(_do, self.commands.view, command)

    async def create(self, command: Any) -> str:
        """A new file."""
        return await asyncio.to_thread(_do, self.commands.create, command)

    async def str_replace(self, command: Any) -> str:
        """Other words in a file."""
        return await asyncio.to_thread(_do, self.commands.str_replace, command)

    async def insert(self, command: Any) -> str:
        """A line in a file."""
        return await asyncio.to_thread(_do, self.commands.insert, command)

    async def delete(self, command: Any) -> str:
        """A file or a folder less."""
        return await asyncio.to_thread(_do, self.commands.delete, command)

    async def rename(self, command: Any) -> str:
        """A file or a folder elsewhere."""
        return await asyncio.to_thread(_do, self.commands.rename, command)

    async def clear_all_memory(self) -> str:
        """All files less."""
        return await asyncio.to_thread(self.commands.clear)


def _do(command: Callable[[Any], str], arguments: Any) -> str:
    try:
        return command(arguments)
    except Refused as refused:
        raise ToolError(str(refused)) from None
    except UndeError as error:  # a file that is too large, say: the model may do something about it
        raise ToolError(error.message) from None
