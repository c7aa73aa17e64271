"""What may not be kept of a user: asked by every writer, under the user's lock, before it keeps anything."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memory.database.statements import fetch_row
from memory.errors import ConsentMissing
from memory.types import FACTS_COVER, UserRef


def list_withheld(*, user: UserRef, at: datetime | None = None) -> frozenset[str]:
    """The kinds that purposes cover and to none of whose purposes the user agreed, now or at a moment of the past.

    In a tenant scope. Reads only.
    """
    if at is None:
        (withheld,) = fetch_row("SELECT withheld_v1(%s, %s)", [user.tenant_id, user.id])
    else:
        (withheld,) = fetch_row("SELECT withheld_at_v1(%s, %s, %s)", [user.tenant_id, user.id, at])
    return frozenset(withheld or ())


def name_types(kinds: Iterable[str]) -> frozenset[str]:
    """The types of facts among kinds. Pure."""
    return frozenset(kind.removeprefix(FACTS_COVER) for kind in kinds if kind.startswith(FACTS_COVER))


def refuse_withheld(*, user: UserRef, kinds: Iterable[str]) -> None:
    """Raise ConsentMissing where one of these kinds may not be kept. In a tenant scope."""
    refused = sorted(set(kinds) & list_withheld(user=user))
    if refused:
        raise ConsentMissing(fields={"user_id": f"has not agreed to {', '.join(refused)}"})
