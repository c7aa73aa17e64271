"""Users in lists: by the tenant's own id for staff who may see users' memory, by the end of ours for all others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.models import User
from memory.tenants.access import get_access, has_permission


def list_owner_names(request: HttpRequest, user_ids: Iterable[UUID]) -> dict[UUID, str]:
    """The tenant's own ids of users, for those who may see them. A user who is being erased has no name any more."""
    if not has_permission(request, "view_user_memory"):
        return {}
    rows = User.objects.filter(tenant_id=get_access(request).tenant.id, id__in=set(user_ids), fenced_at=None)
    return dict(rows.values_list("id", "external_id"))


class NamedOwners:
    """A list whose rows know the name of their user, in the column `owner`."""

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        page = super().get_changelist_instance(request)  # type: ignore[misc]
        names = list_owner_names(request, (row.user_id for row in page.result_list))
        for row in page.result_list:
            row.owner_name = names.get(row.user_id, str(row.user_id)[-12:])
        return page

    @staticmethod
    def get_owner_url(row: Any) -> str:
        """The page of the user that the name leads to."""
        return reverse("console:user_facts", args=[row.user_id])

    @display(description="User")
    def owner(self, row: Any) -> SafeString:
        return format_html(
            '<a class="strong-link" href="{}" title="{}"><bdi>{}</bdi></a>',
            self.get_owner_url(row),
            row.user_id,
            row.owner_name,
        )
