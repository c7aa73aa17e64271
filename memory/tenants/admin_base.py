"""What every admin page shares: who may see it, read-only unless said, and a history without text (SPEC G-6)."""

from __future__ import annotations

import json
from typing import Any, ClassVar, cast
from uuid import UUID

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from memory.tenants.access import get_access, has_permission, record_view
from memory.tenants.people import get_name
from patterns.admin_rows import FoundRows
from patterns.admin_rows import show_badge as show_badge


class IdHistory:
    """Django's own history keeps `str(object)` and form values; here it keeps ids and names of fields (SPEC G-6)."""

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> LogEntry:
        return _log(request, obj, ADDITION, [{"added": {}}])

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> LogEntry:
        return _log(request, obj, CHANGE, [{"changed": {"fields": _list_field_names(message)}}])

    def log_deletions(self, request: HttpRequest, queryset: Any) -> list[LogEntry]:
        return [_log(request, obj, DELETION, []) for obj in queryset]


def _log(request: HttpRequest, obj: Model, flag: int, message: list[dict[str, Any]]) -> LogEntry:
    return LogEntry.objects.create(
        user_id=cast("User", request.user).pk,
        content_type_id=ContentType.objects.get_for_model(obj, for_concrete_model=False).pk,
        object_id=str(obj.pk),
        object_repr=str(obj.pk),
        action_flag=flag,
        change_message=json.dumps(message),
    )


def _list_field_names(message: Any) -> list[str]:
    entries = message if isinstance(message, list) else []
    return [name for entry in entries for name in entry.get("changed", {}).get("fields", [])]


class ConsoleAdmin(FoundRows, IdHistory, ModelAdmin):
    """A list and a page that staff with one of `view_permissions` may read. Writing is added where it is meant."""

    view_permissions: ClassVar[tuple[str, ...]] = ()
    list_filter_sheet = False
    list_fullwidth = True
    list_per_page = 50
    actions = None

    def has_module_permission(self, request: HttpRequest) -> bool:
        return has_permission(request, *self.view_permissions)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return has_permission(request, *self.view_permissions)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class LongListAdmin(ConsoleAdmin):
    """A list that may have millions of rows: paged without counting them."""

    paginator = InfinitePaginator
    show_full_result_count = False


class TenantRows:
    """A list of the tenant's rows. The tenant is named beside the policy: the indexes of long lists start with it."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)  # type: ignore[misc]
        return rows.filter(tenant_id=get_access(request).tenant.id)


class NamedActors:
    """A list whose rows know the name of who did them, in the column `shown_actor`."""

    @staticmethod
    def get_actor_code(row: Any) -> str:
        """The code of who did it."""
        return str(row.actor)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        page = super().get_changelist_instance(request)  # type: ignore[misc]
        for row in page.result_list:
            row.actor_name = get_name(request, self.get_actor_code(row))
        return page

    @display(description="Who")
    def shown_actor(self, row: Any) -> str:
        return str(row.actor_name)


class UserRowsAdmin(LongListAdmin):
    """Rows of one user: the list is empty until a user is chosen (`?user_id=`), as keys start with the user (D-10).

    Each look at a list is audited under the user's id. There are no pages of single rows: the memory page has them.
    """

    list_before_template = "console/choose_user.html"
    list_display_links = None
    audit_action: ClassVar[str]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        user_id = find_user_id(request)
        return rows.none() if user_id is None else rows.filter(user_id=user_id)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        return None

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        user_id = find_user_id(request)
        if user_id is not None and self.has_view_permission(request):
            record_view(request, action=self.audit_action, object_type="user", object_ids=[user_id], now=timezone.now())
        return super().changelist_view(request, {**(extra_context or {}), "chosen_user_id": user_id})


def find_user_id(request: HttpRequest) -> UUID | None:
    """The user that a list is asked about, None when none is named or the name is not an id."""
    try:
        return UUID(request.GET.get("user_id", ""))
    except ValueError:
        return None


def show_id(value: UUID | None) -> SafeString | str:
    """The last block of an id with the whole id as its tooltip."""
    return format_html('<code class="short-id" title="{0}">{1}</code>', value, str(value)[-12:]) if value else "–"
