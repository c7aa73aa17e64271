"""What lists of the admin share: addresses that name no row are not found, and labels in a few tones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

MAX_DIGITS: Final = 9
"""Of a number in a filter: the smallest integer columns hold so many, and no list has more to choose from."""


if TYPE_CHECKING:
    _Rows = ModelAdmin[Any]
else:
    _Rows = object


class FoundRows(_Rows):
    """An address that names no row answers 404, whatever stands in it."""

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        if "\0" in object_id or not object_id.isprintable():
            return None
        return super().get_object(request, object_id, from_field)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """A filter by a number that no column holds is refused (400): the database would break off over it."""
        if any(part.strip("-").isdecimal() and len(part) > MAX_DIGITS for part in str(value).split(",")):
            return False
        return bool(super().lookup_allowed(lookup, value, request))

    def find_named(self, request: HttpRequest, object_id: str) -> Model:
        """The row that an address names. Raises PermissionDenied before Http404, to tell nobody what is there."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        return row

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        """Django sends people to the start page with a message."""
        raise Http404


def show_badge(text: str, tone: str = "plain") -> SafeString:
    """A small label; tones are those of console.css: plain, good, warn, bad, info."""
    return format_html('<span class="badge badge-{}">{}</span>', tone, text)
