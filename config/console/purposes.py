"""What a tenant keeps of its users and what for: purposes, made and ended by operators (SPEC A-4)."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from config.console.pages import ask_first, console_page, describe_error, render_page
from memory.consents.purposes import end_purpose, put_purpose
from memory.consents.selectors import get_purpose, list_purposes
from memory.consents.types import KEY_PATTERN, PurposeInput, PurposeView
from memory.errors import CodedError
from memory.tenants.access import get_access, has_permission
from memory.tenants.scope import tenant_scope
from memory.types import FACTS_COVER, KEPT_KINDS
from memory.visits.types import LOCALES

LANGUAGES: Final = {"en": "English", "ru": "Russian", "ar": "Arabic"}
KINDS: Final = {
    "messages": "messages, word by word",
    "episodes": "episodes and their summaries",
    "items": "items that the app keeps",
    "answers": "use in answers",
    "model": "reading by a language model",
}


def name_kind(kind: str) -> str:
    """A kind in words."""
    return KINDS.get(kind) or f"facts: {kind.removeprefix(FACTS_COVER).replace('_', ' ')}"


class PurposeForm(forms.Form):
    """A purpose. Its key stays; what it covers may only become less."""

    key = forms.RegexField(
        label="Key",
        help_text="as the app names it, for example advice",
        regex=KEY_PATTERN,
        error_messages={"invalid": "Lower-case letters, digits and underscores."},
    )
    covers = forms.MultipleChoiceField(
        label="Covers",
        choices=[(kind, name_kind(kind)) for kind in KEPT_KINDS],
        widget=forms.CheckboxSelectMultiple,
    )
    kept_days = forms.IntegerField(
        label="Days kept",
        help_text="blank = no limit",
        required=False,
        min_value=1,
        max_value=settings.UNDE_TUNING.MAX_RETENTION_DAYS,
    )
    is_granted_by_default = forms.BooleanField(label="On until the user says no", required=False)
    is_changeable = forms.BooleanField(label="The user may change it on the memory page", required=False)

    def __init__(self, *args: Any, purpose: PurposeView | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for locale in LOCALES:
            is_needed, dir_of = locale == "en", {"dir": "auto"}
            self.fields[f"name_{locale}"] = forms.CharField(
                label=f"Name, {LANGUAGES[locale]}",
                max_length=settings.UNDE_TUNING.PURPOSE_NAME_CHARACTERS,
                required=is_needed,
                widget=forms.TextInput(attrs=dir_of),
            )
            self.fields[f"text_{locale}"] = forms.CharField(
                label=f"What is kept and why, {LANGUAGES[locale]}",
                max_length=settings.UNDE_TUNING.PURPOSE_TEXT_CHARACTERS,
                required=is_needed,
                widget=forms.Textarea(attrs={"rows": 2, **dir_of}),
            )
        if purpose is not None:
            self.fields["key"].disabled = True
            self.initial = read_initial(purpose)

    def make_input(self) -> PurposeInput:
        """What was written, as services take it."""
        clean = self.cleaned_data
        texts = {
            part: {locale: clean[f"{part}_{locale}"] for locale in LOCALES if clean[f"{part}_{locale}"]}
            for part in ("name", "text")
        }
        return PurposeInput(
            key=clean["key"],
            names=texts["name"],
            texts=texts["text"],
            covers=tuple(clean["covers"]),
            is_granted_by_default=clean["is_granted_by_default"],
            is_changeable=clean["is_changeable"],
            kept_days=clean["kept_days"],
        )


def read_initial(purpose: PurposeView) -> dict[str, Any]:
    """A purpose as the form shows it."""
    names = ("key", "covers", "kept_days", "is_granted_by_default", "is_changeable")
    return (
        {name: getattr(purpose, name) for name in names}
        | {f"name_{locale}": text for locale, text in purpose.names.items()}
        | {f"text_{locale}": text for locale, text in purpose.texts.items()}
    )


@console_page("operate", "audit")
def show_purposes(request: HttpRequest) -> HttpResponseBase:
    """All purposes of the tenant."""
    tenant_id = get_access(request).tenant.id
    with tenant_scope(tenant_id):
        purposes = list_purposes(tenant_id=tenant_id)
    return render_page(
        request,
        "console/purposes.html",
        title="Purposes",
        purposes=[(one, [name_kind(kind) for kind in one.covers]) for one in purposes],
        has_operate=has_permission(request, "operate"),
    )


@console_page("operate")
def edit_purpose(request: HttpRequest, key: str = "") -> HttpResponseBase:
    """Make a purpose, or change one to less or to other words."""
    access = get_access(request)
    purpose = None
    if key:
        with tenant_scope(access.tenant.id):
            purpose = get_purpose(tenant_id=access.tenant.id, key=key)
    form = PurposeForm(request.POST or None, purpose=purpose)
    if request.method == "POST" and form.is_valid():
        try:
            put_purpose(tenant_id=access.tenant.id, wanted=form.make_input(), actor=access.actor, now=timezone.now())
        except CodedError as error:
            form.add_error(None, describe_error(error))
        else:
            messages.success(request, "The purpose is saved.")
            return redirect("console:purposes")
    title = "Change a purpose" if purpose else "New purpose"
    return render_page(request, "console/purpose.html", title=title, form=form, purpose=purpose)


@console_page("operate")
def close_purpose(request: HttpRequest, key: str) -> HttpResponseBase:
    """End a purpose, after a page that says what that means."""
    access = get_access(request)
    with tenant_scope(access.tenant.id):
        purpose = get_purpose(tenant_id=access.tenant.id, key=key)
    if request.method != "POST":
        return ask_first(
            request,
            title=f"End the purpose {purpose.name('en')}",
            sentence=(
                "It covers nothing any more. What no other purpose covers is kept again without a question. What users"
                " said stays in their history, and the key cannot be used again."
            ),
            button="End",
            back_url=reverse("console:purposes"),
        )
    end_purpose(tenant_id=access.tenant.id, key=key, actor=access.actor, now=timezone.now())
    messages.success(request, "The purpose has ended.")
    return redirect("console:purposes")
