"""Where documents stand, as hashes under the user's key: nobody reads a name from the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.sealing.vault import UserVault

SEPARATOR: Final = "\x1f"
PURPOSE: Final = "kept_item"
SEARCH_PURPOSE: Final = "kept_search"


def hash_path(vault: UserVault, namespace: Sequence[str], key: str) -> bytes:
    """Of one document."""
    return vault.fingerprint("kept_path", SEPARATOR.join([*namespace, "", key]))


def hash_prefixes(vault: UserVault, namespace: Sequence[str]) -> list[bytes]:
    """Of every beginning of its namespace, the whole one last."""
    return [hash_prefix(vault, namespace[:length]) for length in range(1, len(namespace) + 1)]


def hash_prefix(vault: UserVault, prefix: Sequence[str]) -> bytes:
    """Of one beginning of a namespace."""
    return vault.fingerprint("kept_prefix", SEPARATOR.join(prefix))
