"""Words of the memory page in templates: `{% count t "used" 3 %}`, `{% day t moment %}`."""

from __future__ import annotations

from datetime import datetime

from django import template

from config.me.wording import Words
from memory.consents.types import PurposeView
from memory.types import Fact

register = template.Library()


@register.simple_tag
def count(t: Words, key: str, number: int) -> str:
    """A phrase with a number in it."""
    return t.count(key, number)


@register.simple_tag
def day(t: Words, moment: datetime) -> str:
    """A date."""
    return t.date(moment)


@register.simple_tag
def moment(t: Words, moment: datetime) -> str:
    """A date with hours and minutes."""
    return t.time(moment)


@register.simple_tag
def phrase(t: Words, key: str, **values: object) -> str:
    """A phrase with values in it; a moment stands as its date."""
    written = {name: t.date(value) if isinstance(value, datetime) else value for name, value in values.items()}
    return t.say(key, **written)


@register.simple_tag
def code(t: Words, kind: str, code: str) -> str:
    """A code in words."""
    return t.name(kind, code)


@register.simple_tag
def reason(t: Words, code: str) -> str:
    """Why something was left out."""
    return str(t["reasons"].get(code) or t["reason_other"])


@register.simple_tag
def tab(t: Words, key: str) -> str:
    """The name of a part of the page."""
    return str(t[key])


@register.simple_tag
def unit(t: Words, fact: Fact) -> str:
    """What a number of a fact counts; nothing beside a value that says it itself."""
    units = t["units"]
    name = fact.knowledge_type if fact.knowledge_type in units else fact.knowledge_key
    return str(units.get(name, "")) if isinstance(fact.value, int) else ""


@register.simple_tag
def label(t: Words, fact: Fact) -> str:
    """What a fact is of, where its value does not say it: a size of what, a budget for what."""
    if fact.knowledge_key == fact.value or fact.knowledge_type in ("allergy", "hard_ban"):
        return ""
    known = t["keys"].get(fact.knowledge_key)
    return str(known) if known is not None else fact.knowledge_key.replace("_", " ")


@register.simple_tag
def purpose_name(t: Words, purpose: PurposeView) -> str:
    """What a purpose is called."""
    return purpose.name(t.locale)


@register.simple_tag
def purpose_text(t: Words, purpose: PurposeView) -> str:
    """What is kept for it and why."""
    return purpose.text(t.locale)
