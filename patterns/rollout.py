"""Who is read by a rule that is not for everybody: a user's bucket, the same one for ever (SPEC I-2)."""

from __future__ import annotations

import hashlib
from typing import Final
from uuid import UUID

BUCKETS: Final = 100
NOBODY_SPECIAL: Final = 99
"""The bucket of a reading without a user: what is in force, nothing on trial."""
FIRST_TRIED: Final = 0
"""The bucket that everything on trial reaches."""


def get_bucket(*, slug: str, user_id: UUID) -> int:
    """A number from 0 to 99 for a user and a rule; rules are independent, so that trials fall on different users."""
    digest = hashlib.sha256(f"{slug}:{user_id}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % BUCKETS
