"""Forms of a user's memory page."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

REASONS: Final = (
    ("user_request", "the user asked for it"),
    ("legal_order", "a court or an authority asked for it"),
    ("contract_ended", "the customer relationship has ended"),
    ("test_data", "it was a test"),
)
"""Codes, never sentences: what a person wrote would outlive the erasure (D-29)."""


class EraseForm(forms.Form):
    """Why a user is erased, and their id once more, so that nobody is erased by a slip."""

    reason = forms.ChoiceField(choices=REASONS)
    typed = forms.CharField(
        label="To confirm, enter the user's id", widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, *args: Any, external_id: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._external_id = external_id

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if typed != self._external_id:
            raise ValidationError("This does not match the user's id.")
        return typed
