"""Why a part of a pack is in it or not, as codes of receipts (SPEC P-4). Pure."""

from __future__ import annotations

from typing import Final

CHOSEN: Final = "chosen"
OVER_CAP: Final = "over_density_cap"
OVER_BUDGET: Final = "over_budget"
FOUND: Final = "found"
"""A line of a message that the search found."""
LEFT_WINDOW: Final = "left_window"
"""A line of a message of this session that the window no longer shows."""
LATEST_EPISODE: Final = "latest_episode"
"""A line that says what the latest episodes were about, or left open."""
