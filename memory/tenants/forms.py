"""Forms of the console for access."""

from __future__ import annotations

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminTextInputWidget

from memory.tenants.types import Scope


class KeyForm(forms.Form):
    """What a new API key is called and may do."""

    name = forms.CharField(max_length=100, widget=UnfoldAdminTextInputWidget(attrs={"placeholder": "shop-backend"}))
    scopes = forms.MultipleChoiceField(
        choices=[(scope.value, scope.value) for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.WRITE.value, Scope.READ.value],
    )
    requests_per_minute = forms.IntegerField(
        min_value=1, required=False, widget=UnfoldAdminIntegerFieldWidget(), help_text="Blank = default limit"
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        data["scopes"] = [Scope(scope) for scope in data.get("scopes", [])]
        return data
