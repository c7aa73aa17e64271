"""The limits of service levels in the settings' form, one "indicator = pass, fail" a line (SPEC Q-2)."""

from __future__ import annotations

from math import isfinite
from typing import Any

from django import forms
from django.conf import settings


class LimitsField(forms.CharField):
    """A tenant's own limits; what is not named keeps the shipped ones."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "placeholder": "staleness_rate = 0.10, 0.20"})

    def prepare_value(self, value: Any) -> Any:
        """The table as lines."""
        if not isinstance(value, dict):
            return value
        return "\n".join(f"{name} = {passes:g}, {fails:g}" for name, (passes, fails) in value.items())

    def clean(self, value: Any) -> dict[str, tuple[float, float]]:
        """The lines as a table. Raises ValidationError that names what a line must be."""
        lines = (super().clean(value) or "").splitlines()
        return dict(read_line(line) for line in lines if line.strip())


def read_line(line: str) -> tuple[str, tuple[float, float]]:
    """One indicator with its limits, better first as the shipped ones are. Raises ValidationError."""
    name, _, numbers = (part.strip() for part in line.partition("="))
    shipped = settings.UNDE_TUNING.QUALITY_LEVELS.get(name)
    if shipped is None:
        raise forms.ValidationError("There is no such indicator. docs/quality.md lists them.")
    try:
        passes, fails = (float(number) for number in numbers.split(","))
    except ValueError:
        raise forms.ValidationError("Write one per line: indicator = limit for PASS, limit for FAIL.") from None
    if not (isfinite(passes) and isfinite(fails) and passes >= 0 and fails >= 0):
        raise forms.ValidationError("A limit is a number from 0 on.")
    if (passes > fails) != (shipped[0] > shipped[1]) and passes != fails:
        raise forms.ValidationError(f"The limit for PASS of {name} must be the better one.")
    return name, (passes, fails)
