"""When a request was there: it may wait for its turn, or for a sibling, before Django sees it, and that counts too.

The time is one of this machine's clock, which its processes share: it stays with a request that is handed over. Text,
as all that goes along. A slow sender's time is not in it: a request is there when its body is. No Django.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, MutableMapping
from typing import Any, Final

ARRIVED: Final = "unde.arrived_at"


def note_arrival(environ: MutableMapping[str, Any]) -> None:
    """Write down that the request is there now."""
    environ[ARRIVED] = repr(time.perf_counter())


def get_arrived_at(environ: Mapping[str, Any]) -> float:
    """When it was there, by `time.perf_counter`; now, where no gate has said it."""
    return float(environ.get(ARRIVED) or time.perf_counter())
