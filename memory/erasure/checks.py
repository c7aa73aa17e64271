"""What must hold for erasures before the service starts, as Django system checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Critical, Tags, register

from memory.erasure.deadlines import DEFAULT_PROFILE, LegalProfileInvalid, load_profiles


def register_checks() -> None:
    """Called once at start."""
    register(check_legal_profiles, Tags.compatibility)
    register(check_journal_folder, Tags.security)


def check_legal_profiles(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A deadline file that can't be read is found at the start, not by the first person who asks to be erased."""
    if not settings.UNDE_LEGAL_PROFILES:
        return []
    try:
        profiles = load_profiles(Path(settings.UNDE_LEGAL_PROFILES))
    except (LegalProfileInvalid, OSError) as error:
        return [Critical(f"UNDE_LEGAL_PROFILES cannot be used: {error}", id="unde.E030")]
    if DEFAULT_PROFILE in profiles:
        return []
    return [Critical(f"UNDE_LEGAL_PROFILES names no profile '{DEFAULT_PROFILE}'.", id="unde.E031")]


def check_journal_folder(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Tombstones that lie inside the database's own folder come back as old as the database does (SPEC G-4)."""
    journal, cluster = Path(settings.UNDE_TOMBSTONE_DIR).resolve(), (Path(settings.UNDE_DATA_DIR) / "pg").resolve()
    if cluster != journal and cluster not in journal.parents:
        return []
    return [
        Critical(
            f"UNDE_TOMBSTONE_DIR lies inside {cluster}: a restored backup would not meet what was erased since.",
            hint="Put it beside the key store.",
            id="unde.E032",
        )
    ]
