"""Ids of tenants in paths."""

from __future__ import annotations

from django.urls import register_converter


class ExternalIdConverter:
    """A tenant's own id: 1-128 characters of any kind, a slash included (sent as %2F). Use as `<external:user_id>`."""

    regex = r"(?s:.{1,128})"

    def to_python(self, value: str) -> str:
        """As it is."""
        return value

    def to_url(self, value: str) -> str:
        """As it is; Django escapes it."""
        return value


class NameConverter(ExternalIdConverter):
    """An id that a person reads in a list and that more of the path follows: letters, digits and `._~-`."""

    regex = r"[A-Za-z0-9._~-]{1,128}"


register_converter(ExternalIdConverter, "external")
register_converter(NameConverter, "name")
