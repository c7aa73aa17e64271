"""`{% person code %}`: the name of who did something."""

from __future__ import annotations

from typing import Any

from django import template

from memory.tenants.people import get_name

register = template.Library()


@register.simple_tag(takes_context=True)
def person(context: dict[str, Any], code: object) -> str:
    """The name behind a code such as `staff:7`; an audit event is one too."""
    return get_name(context["request"], str(getattr(code, "actor_code", code)))
