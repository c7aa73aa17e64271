"""Answers of the service in the words of the conversation file, so that an expectation is a line of text. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from demo.script import DUBAI


def word_fact(fact: dict[str, Any], *, counted_from: datetime) -> str:
    """`life_event wedding_sister = wedding, in 14 days` (days from the given moment), with `, disputed` where it is."""
    line = f"{fact['knowledge_type']} {fact['knowledge_key']} = {fact['value']}"
    if fact.get("expires_at") is not None:
        last_day = datetime.fromisoformat(fact["expires_at"]).astimezone(DUBAI).date()
        line += f", in {(last_day - counted_from.astimezone(DUBAI).date()).days} days"
    return f"{line}, disputed" if fact.get("is_disputed") else line


def word_change(change: dict[str, Any], *, counted_from: datetime) -> str:
    """The same after what was done: `added body_params size = M`."""
    return f"{change['action']} {word_fact(change, counted_from=counted_from)}"


def word_correction(correction: dict[str, Any]) -> str:
    """`user_denied: deactivated`."""
    return f"{correction['correction_type']}: {correction['action']}"


def word_version(fact: dict[str, Any]) -> str:
    """`M version 2, active`: one line of a timeline."""
    return f"{fact['value']} version {fact['version']}, {'active' if fact['is_active'] else 'inactive'}"


def compare(what: str, *, expected: Iterable[str], found: Iterable[str]) -> list[str]:
    """What differs between two lists whose order means nothing; nothing when they agree."""
    missing, extra = list(expected), []
    for line in found:
        if line in missing:
            missing.remove(line)
        else:
            extra.append(line)
    return [f"{what}: missing {line!r}" for line in missing] + [f"{what}: not expected {line!r}" for line in extra]


def require(what: str, *, wanted: Iterable[str], found: Iterable[str]) -> list[str]:
    """Which of the wanted are not among the found."""
    held = list(found)
    return [f"{what}: missing {line!r}" for line in wanted if line not in held]


def exclude(what: str, *, unwanted: Iterable[str], found: Iterable[str]) -> list[str]:
    """Which of the unwanted are among the found."""
    held = list(found)
    return [f"{what}: must not hold {line!r}" for line in unwanted if line in held]
