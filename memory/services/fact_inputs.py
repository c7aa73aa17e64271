"""Facts that an app or a person states directly: types, default keys and the form of values (SPEC F-1, F-2, API.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from memory.dates import end_of_day
from memory.errors import InvalidRequest
from memory.types import EXTRACTED_ONLY_TYPES, GUARANTEED_TYPES, Statement

DEFAULT_KEYS = {"body_params": "size", "budget": "general", "onboarding_style": "general"}
"""Keys that need not be named (SPEC F-2); the other types take their key from the value."""
NUMERIC_BODY_KEYS = ("height", "weight")
SOURCES = ("onboarding", "explicit")

_SIZE = re.compile(r"(?:X{0,3}S|S|M|L|X{1,3}L|[4-9]XL|(?:UK|US|IT|FR)?\d{1,2})(?:-(?:X{0,3}S|S|M|L|X{1,3}L|\d{1,2}))?")
_BUDGET = re.compile(r"\d{1,9}(?:-\d{1,9})?(?: [A-Z]{3})?")


class SoftType(InvalidRequest):
    """The type may not be a fact: preferences stay in the messages, where search finds them (SPEC T-4, F-1)."""

    code = "soft_type"
    default_message = (
        "This type is never stored as a fact. Send the user's words as a message: search and packs find them there."
    )


@dataclass(frozen=True, slots=True)
class FactInput:
    """One fact as a caller states it."""

    knowledge_type: str
    value: Any
    source: str
    knowledge_key: str | None = None
    expires_at: datetime | None = None


def make_explicit_statement(fact: FactInput, *, place: int, now: datetime, zone: ZoneInfo) -> Statement:
    """Check one stated fact and give it its key. Raises InvalidRequest naming `facts[place].field`, SoftType."""
    problems = _find_problems(fact)
    if problems:
        raise InvalidRequest(fields={f"facts[{place}].{name}": problem for name, problem in problems.items()})
    if fact.knowledge_type not in GUARANTEED_TYPES:
        raise SoftType(fields={f"facts[{place}].knowledge_type": f"must be one of {', '.join(GUARANTEED_TYPES)}"})
    key = _make_key(fact)
    value, problem = _shape_value(fact, key)
    if problem:
        raise InvalidRequest(fields={f"facts[{place}].value": problem})
    return Statement(
        knowledge_type=fact.knowledge_type,
        knowledge_key=key,
        value=value,
        confidence=1.0,
        extracted_from=fact.source,
        said_at=now,
        expires_at=_get_expiry(fact, now=now, zone=zone),
    )


def describe_statement(statement: Statement) -> dict[str, Any]:
    """A stated fact as JSON: what the action log keeps, sealed, of facts that no message states (D-1)."""
    return {
        "knowledge_type": statement.knowledge_type,
        "knowledge_key": statement.knowledge_key,
        "value": statement.value,
        "confidence": statement.confidence,
        "extracted_from": statement.extracted_from,
        "said_at": statement.said_at.isoformat(),
        "expires_at": statement.expires_at.isoformat() if statement.expires_at else None,
    }


def read_statement(described: Mapping[str, Any]) -> Statement:
    """What `describe_statement` was given. Raises KeyError, ValueError, TypeError for anything else."""
    expires_at = described["expires_at"]
    return Statement(
        knowledge_type=described["knowledge_type"],
        knowledge_key=described["knowledge_key"],
        value=described["value"],
        confidence=described["confidence"],
        extracted_from=described["extracted_from"],
        said_at=datetime.fromisoformat(described["said_at"]),
        expires_at=datetime.fromisoformat(expires_at) if expires_at else None,
    )


def _find_problems(fact: FactInput) -> dict[str, str]:
    problems = {}
    if fact.source not in SOURCES:
        problems["source"] = f"must be one of {', '.join(SOURCES)}"
    if (
        fact.knowledge_key is not None
        and not 1 <= len(fact.knowledge_key.strip()) <= settings.UNDE_TUNING.MAX_FACT_KEY_CHARACTERS
    ):
        problems["knowledge_key"] = f"must have 1 to {settings.UNDE_TUNING.MAX_FACT_KEY_CHARACTERS} characters"
    if fact.value is None or fact.value == "" or isinstance(fact.value, bool):
        problems["value"] = "must not be empty"
    elif len(str(fact.value)) > settings.UNDE_TUNING.MAX_FACT_VALUE_CHARACTERS:
        problems["value"] = f"must have at most {settings.UNDE_TUNING.MAX_FACT_VALUE_CHARACTERS} characters"
    if fact.expires_at is not None and fact.expires_at.tzinfo is None:
        problems["expires_at"] = "must have an offset, e.g. 2026-03-02T12:00:00+04:00"
    if fact.expires_at is not None and fact.knowledge_type in GUARANTEED_TYPES and fact.knowledge_type != "life_event":
        problems["expires_at"] = "is for life_event alone"
    if fact.knowledge_type in EXTRACTED_ONLY_TYPES:
        problems["knowledge_type"] = "comes from extraction alone, with two independent evidences"
    return problems


def make_slug(text: str) -> str:
    """A key as the guide writes keys: lower case, words joined by underscores."""
    return re.sub(r"[^\w]+", "_", text.strip().lower()).strip("_")[: settings.UNDE_TUNING.MAX_FACT_KEY_CHARACTERS]


def _make_key(fact: FactInput) -> str:
    if fact.knowledge_key:
        return make_slug(fact.knowledge_key)
    return DEFAULT_KEYS.get(fact.knowledge_type) or make_slug(str(fact.value))


def _shape_value(fact: FactInput, key: str) -> tuple[Any, str | None]:
    """The value in the form of API.md, or what is wrong with it."""
    if fact.knowledge_type in ("allergy", "hard_ban"):
        return key, None
    if fact.knowledge_type == "life_event":
        return make_slug(str(fact.value)), None
    if fact.knowledge_type == "budget":
        return _shape_budget(fact.value)
    if fact.knowledge_type == "body_params":
        return _shape_body_param(fact.value, key)
    return fact.value, None


def _shape_budget(value: Any) -> tuple[Any, str | None]:
    text = str(value).strip().upper().removesuffix(" AED")
    if not _BUDGET.fullmatch(text):
        return value, 'must be an integer in AED, a range ("300-500"), or a number with a currency ("200 USD")'
    return (int(text), None) if text.isdigit() else (text, None)


def _shape_body_param(value: Any, key: str) -> tuple[Any, str | None]:
    text = str(value).strip().upper()
    if key in NUMERIC_BODY_KEYS:
        return (int(text), None) if text.isdigit() else (value, "must be an integer (cm or kg)")
    if not _SIZE.fullmatch(text):
        return value, 'must be a size such as "M", "44", "UK10" or "S-M"'
    return text, None


def _get_expiry(fact: FactInput, *, now: datetime, zone: ZoneInfo) -> datetime | None:
    if fact.knowledge_type != "life_event":
        return None
    days = settings.UNDE_TUNING.EVENT_DEFAULT_DAYS
    return fact.expires_at or end_of_day(now.astimezone(zone).date() + timedelta(days=days), zone)
