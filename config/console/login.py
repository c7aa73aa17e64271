"""Login to the console, slowed down after failures (D-32)."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import structlog
from django.core.cache import cache
from django.core.exceptions import ValidationError
from unfold.forms import AuthenticationForm

logger = structlog.get_logger(__name__)

MAX_FAILURES: Final = 10
WINDOW_SECONDS: Final = 15 * 60


class ThrottledLoginForm(AuthenticationForm):
    """Unfold's login form. After ten failures for one name from one address it refuses for a quarter of an hour.

    Fails open when the cache is away: staff must get in to see that.
    """

    def clean(self) -> dict[str, Any]:
        key = self._make_key()
        if _count_failures(key) >= MAX_FAILURES:
            raise ValidationError("Too many failed attempts. Try again in a quarter of an hour.", code="throttled")
        try:
            data: dict[str, Any] = super().clean()
        except ValidationError:
            _add_failure(key)
            raise
        return data

    def _make_key(self) -> str:
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        name = str(self.data.get("username", ""))
        return "login:" + hashlib.sha256(f"{address}\0{name}".encode()).hexdigest()


def _count_failures(key: str) -> int:
    try:
        return int(cache.get(key, 0))
    except Exception as error:
        logger.warning("login_throttle_unavailable", exc_info=error)
        return 0


def _add_failure(key: str) -> None:
    try:
        cache.add(key, 0, WINDOW_SECONDS)
        cache.incr(key)
    except Exception as error:
        logger.warning("login_throttle_unavailable", exc_info=error)
