"""Names of those who do things: staff by their login, keys by their name, the service as itself (SPEC H-1).

Logs and rows hold codes (`staff:7`, `key:<id>`, `system`), so that they outlive a person's name. Pages show names.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest

from memory.tenants.models import ApiKey
from memory.tenants.types import ActorType

SERVICE: Final = "the service"
SCHEDULE: Final = "the schedule"
_OTHERS: Final = {
    "": "–",
    "system": SERVICE,
    "schedule": SCHEDULE,
    "import": "an import",
    "command": "the command line",
    "unknown": "not known",
}


def name_person(code: str) -> str:
    """The name behind a code; one statement for staff and keys. A key is looked up in the tenant's scope."""
    kind, _, number = code.partition(":")
    if kind == "staff":
        return _name_staff(number)
    if kind in ("key", ActorType.API_KEY.value):
        return _name_key(number)
    # "system:schedule" of the audit trail and "schedule" are one and the same.
    return _OTHERS.get(number or kind, _OTHERS.get(kind, code))


def get_name(request: HttpRequest, code: str) -> str:
    """The name behind a code, read once a request."""
    names: dict[str, str] = request.__dict__.setdefault("people", {})
    if code not in names:
        names[code] = name_person(code)
    return names[code]


def _name_staff(number: str) -> str:
    found = User.objects.filter(id=int(number)).values_list("username", flat=True) if number.isdecimal() else []
    return next(iter(found), f"deleted staff user {number}")


def _name_key(number: str) -> str:
    try:
        found = ApiKey.objects.filter(id=UUID(number)).values_list("name", flat=True).first()
    except ValueError:
        found = None
    return f"key {found}" if found else f"key {number[-12:]}"
