"""The context windows that a tenant has set for models of its own."""

from __future__ import annotations

from collections.abc import Mapping

from memory.database.queries import Query
from memory.tenants.scope import ask
from memory.types import UserRef

# Index: primary key of tenant. Asked where a pack names its model, no other time.
_READ = "SELECT settings -> 'model_windows' FROM tenant WHERE id = %s::uuid"


def list_tenant_windows(*, user: UserRef) -> Mapping[str, int]:
    """Patterns of model names and their tokens; none where the tenant has set none."""
    rows = ask(make_tenant_windows_query(user=user))
    return rows[0][0] or {} if rows else {}


def make_tenant_windows_query(*, user: UserRef) -> Query:
    """The query of `list_tenant_windows`, to be prefetched."""
    return Query(_READ, [user.tenant_id])
