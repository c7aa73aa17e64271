"""What is never to be offered, as the table of types takes it."""

from __future__ import annotations

from typing import Final

from patterns.kinds.ban.reading import read_bans
from patterns.kinds.kind import Kind

BAN: Final = Kind(
    knowledge_type="hard_ban",
    readers=(read_bans,),
    sorts=("explicit", "keep", "no_more", "never", "headed", "habit", "habit_bare", "want", "lasting", "like"),
)
