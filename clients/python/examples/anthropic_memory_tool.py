"""Anthropic's memory tool without a disk. Runs without a model: the commands are given as the model gives them."""

from unde_memory import Memory
from unde_memory.anthropic import UndeMemoryTool

tool = UndeMemoryTool(Memory(), user="layla")
tool.clear_all_memory()
print(tool.call({"command": "create", "path": "/memories/notes.md", "file_text": "likes wide shoes\n"}))
print(tool.call({"command": "insert", "path": "/memories/notes.md", "insert_line": 1, "insert_text": "hates wool"}))
print(tool.call({"command": "view", "path": "/memories/notes.md"}))
