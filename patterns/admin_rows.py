"""Addresses of single rows in the admin: what names no row is not found."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse


class FoundRows:
    """An address that names no row answers 404, whatever stands in it."""

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        if "\0" in object_id or not object_id.isprintable():
            return None
        row: Model | None = super().get_object(request, object_id, from_field)  # type: ignore[misc]
        return row

    def find_named(self, request: HttpRequest, object_id: str) -> Model:
        """The row that an address names. Raises PermissionDenied before Http404, to tell nobody what is there."""
        if not self.has_view_permission(request):  # type: ignore[attr-defined]
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        return row

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        """Django sends people to the start page with a message."""
        raise Http404
