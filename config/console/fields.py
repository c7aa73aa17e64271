"""Fields of forms whose choices are known only when the form is made."""

from __future__ import annotations

from collections.abc import Sequence

from django.forms import BaseForm, ChoiceField


def set_choices(form: BaseForm, name: str, choices: Sequence[tuple[str, object]]) -> None:
    """Offer these in a field of choices: pairs of value and label, or groups of such pairs."""
    field = form.fields[name]
    assert isinstance(field, ChoiceField), name
    field.choices = choices
