"""Anthropic's memory tool over the service: commands of the framework are carried out, refusals are for the model."""

import asyncio
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

from unde_memory import Memory
from unde_memory.anthropic import AsyncUndeMemoryTool, UndeMemoryTool

NEW = {"command": "create", "path": "/memories/a/notes.md", "file_text": "one\r\ntwo\n"}
STEPS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories/a/notes.md"},
    {"command": "str_replace", "path": "/memories/a/notes.md", "old_str": "two", "new_str": "2"},
    {"command": "insert", "path": "/memories/a/notes.md", "insert_line": 0, "insert_text": "zero"},
    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"},
    {"command": "view", "path": "/memories/b/notes.md", "view_range": [1, 2]},
    {"command": "delete", "path": "/memories/b"},
]
WRONG: list[dict[str, Any]] = [
    NEW,
    {"command": "delete", "path": "/memories"},
    {"command": "view", "path": "/memories/../etc/passwd"},
    {"command": "create", "path": "/memories/long.md", "file_text": "x" * 300_000},
]


def test_each_command_is_carried_out_and_each_refusal_is_an_error_of_the_tool(memory: Memory, user: str) -> None:
    tool = UndeMemoryTool(memory, user=user)
    assert tool.call(NEW) == "File created successfully at: /memories/a/notes.md"
    for wrong in WRONG:
        with pytest.raises(ToolError):
            tool.call(wrong)
    answers = [str(tool.call(step)) for step in STEPS]
    assert "     1\tone\r\n     2\ttwo" in answers[0] and "     1\tzero\n     2\tone" in answers[4]
    assert UndeMemoryTool(memory, user="check-another").commands.files.list_all() == {}


def test_the_tool_over_asyncio_does_the_same(memory: Memory, user: str) -> None:
    tool = AsyncUndeMemoryTool(memory, user=user)

    async def use() -> list[str]:
        await tool.call(NEW)
        for wrong in WRONG:
            with pytest.raises(ToolError):
                await tool.call(wrong)
        return [str(await tool.call(step)) for step in STEPS] + [await tool.clear_all_memory()]

    assert asyncio.run(use())[-2:] == ["Successfully deleted /memories/b", "All memory cleared"]
