"""What a key looks like, and what is kept of it."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

KEY_START: Final = "unde"


def make_key() -> tuple[str, str]:
    """A new key `unde_<prefix>_<secret>`: its prefix, which may be shown, and the whole key, which may not."""
    prefix = secrets.token_hex(4)
    return prefix, f"{KEY_START}_{prefix}_{secrets.token_urlsafe(32)}"


def hash_key(key: str) -> bytes:
    """SHA-256 of the whole key, 32 bytes. Its 256 random bits make a salt or a slow hash needless."""
    return hashlib.sha256(key.encode()).digest()
