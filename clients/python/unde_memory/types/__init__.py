"""Answers of the service as values. A field that a newer service adds is passed over."""

# ruff: noqa: F403 - the modules are this package in pieces, and each name of them is one of its own.

from unde_memory.types.chat import *
from unde_memory.types.episodes import *
from unde_memory.types.events import *
from unde_memory.types.knowledge import *
from unde_memory.types.memory import *
from unde_memory.types.packs import *
from unde_memory.types.page import *
from unde_memory.types.paging import *
from unde_memory.types.project_contexts import *
from unde_memory.types.projects import *
