"""Login to the console, slowed down after failures (D-32)."""

from __future__ import annotations

import hashlib
from typing import Any

import structlog
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.utils import timezone
from unfold.forms import AuthenticationForm

from memory.tenants.services.logins import Outcome, record_login

logger = structlog.get_logger(__name__)


class ThrottledLoginForm(AuthenticationForm):
    """Unfold's login form. After ten failures for one name from one address it refuses for a quarter of an hour.

    Every login, every failure and the moment of the refusal are in the audit trail. Fails open when the cache is away:
    staff must get in to see that.
    """

    def clean(self) -> dict[str, Any]:
        key = self._make_key()
        if _count_failures(key) >= settings.UNDE_TUNING.LOGIN_MAX_FAILURES:
            raise ValidationError("Too many failed attempts. Try again in 15 minutes.", code="throttled")
        try:
            data: dict[str, Any] = super().clean()
        except ValidationError:
            # A login that is refused unread is not noted again: nobody can fill up the trail that way.
            self._record(
                "login_locked" if _add_failure(key) == settings.UNDE_TUNING.LOGIN_MAX_FAILURES else "login_failed"
            )
            raise
        self._record("login")
        return data

    def _record(self, outcome: Outcome) -> None:
        record_login(username=str(self.data.get("username", "")), outcome=outcome, now=timezone.now())

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


def _add_failure(key: str) -> int:
    try:
        cache.add(key, 0, settings.UNDE_TUNING.LOGIN_WINDOW_SECONDS)
        return int(cache.incr(key))
    except Exception as error:
        logger.warning("login_throttle_unavailable", exc_info=error)
        return 0
