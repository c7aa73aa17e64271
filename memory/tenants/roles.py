"""What each staff role may do (SPEC H-1). Permissions are those declared on `Tenant`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memory.tenants.types import Role

PERMISSIONS: Final[Mapping[Role, tuple[str, ...]]] = {
    Role.REVIEWER: ("review_facts", "view_user_memory"),
    # Editors see counts and masked snippets; whole messages need the reviewer role (D-27).
    Role.PATTERN_EDITOR: ("edit_patterns",),
    Role.OPERATOR: ("operate", "view_user_memory", "audit"),
    Role.AUDITOR: ("audit",),
}
"""Codenames in app `tenants`, by role; `user.has_perm("tenants.<codename>")`."""
