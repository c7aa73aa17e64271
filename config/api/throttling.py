"""Early refusals: requests over the rate limit of a key (SPEC A-1), and writes on a full disk."""

from __future__ import annotations

import time
from typing import Final

import structlog
from django.conf import settings
from django.core.cache import cache
from prometheus_client import Counter
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from config.api.authentication import read_caller
from memory.disks import is_storage_full
from memory.tenants.database_errors import StorageFull
from memory.tenants.errors import RateLimited
from memory.tenants.types import Caller, Scope

logger = structlog.get_logger(__name__)

WINDOW_SECONDS: Final = 60

rate_limit_skipped = Counter("unde_rate_limit_skipped", "Requests let through because the counter was out of reach.")

GROWING: Final = frozenset(
    {
        Scope.WRITE,
        Scope.FACTS,
        Scope.FEEDBACK,
        Scope.KNOWLEDGE_WRITE,
        Scope.STORE_WRITE,
        Scope.PROJECTS_WRITE,
    }
)
GROWING_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})

_paused_until = 0.0


class KeyThrottle(BaseThrottle):
    """The limit of a key, for REST framework."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        """True, or RateLimited as `check_rate` raises it."""
        check_rate(read_caller(request))
        return True


def check_rate(caller: Caller) -> None:
    """Count a request of the key in its window of a minute, shared by all processes through the cache.

    Raises RateLimited with the seconds until the window ends. When the cache is out of reach requests pass and
    `unde_rate_limit_skipped_total` counts them: the memory is worth more than its limit. The cache is then left alone
    for 5 s, so that its timeouts do not slow every request.
    """
    if caller.requests_per_minute is None:
        return
    now = time.time()
    used = count_request(caller=caller, now=now)
    if used is not None and used > caller.requests_per_minute:
        raise RateLimited(retry_after_seconds=WINDOW_SECONDS - int(now) % WINDOW_SECONDS)


def check_room(method: str, *, scope: Scope) -> None:
    """Refuse requests that store new data while the disk is full. Raises StorageFull.

    Reading, forgetting and erasing still work.
    """
    if method in GROWING_METHODS and scope in GROWING and is_storage_full():
        raise StorageFull


def count_request(*, caller: Caller, now: float) -> int | None:
    """Requests of the key in the window of `now` (seconds), this one included; None when nobody can say."""
    global _paused_until
    if now < _paused_until:
        rate_limit_skipped.inc()
        return None
    key = f"rate:{caller.key_id}:{int(now) // WINDOW_SECONDS}"
    try:
        cache.add(key, 0, timeout=2 * WINDOW_SECONDS)
        return int(cache.incr(key))
    except Exception as error:
        # Whatever client the cache has, its failures are its own: none may refuse a request.
        _paused_until = now + settings.UNDE_TUNING.THROTTLE_PAUSE_SECONDS
        rate_limit_skipped.inc()
        logger.warning("rate_limit_skipped", exc_info=error)
        return None
