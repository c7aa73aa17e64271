"""The client of UNDE Memory: `Memory` over threads, `AsyncMemory` over asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unde_memory.async_client import AsyncMemory
    from unde_memory.async_user import AsyncSession, AsyncUser
    from unde_memory.errors import UndeError
    from unde_memory.sync_client import Memory
    from unde_memory.sync_user import Session, User

__version__ = "0.1.0"
__all__ = ["AsyncMemory", "AsyncSession", "AsyncUser", "Memory", "Session", "UndeError", "User", "__version__"]

_HOMES = {
    "AsyncMemory": "async_client",
    "AsyncSession": "async_user",
    "AsyncUser": "async_user",
    "Memory": "sync_client",
    "Session": "sync_user",
    "User": "sync_user",
    "UndeError": "errors",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is: a program that needs one client does not wait for the other."""
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"unde_memory.{_HOMES[name]}"), name)
