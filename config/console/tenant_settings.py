"""What a tenant may set for itself, on one page with what each switch does (SPEC H-1, X-2, X-7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone

from config.console.fields import set_choices
from config.console.limits import LimitsField
from config.console.pages import console_page, render_page
from config.me.looks import COLOUR, LOGO, USUAL_COLOUR, is_origin
from corrections.review.types import MAX_REVIEWERS
from memory.erasure.deadlines import SHIPPED_PROFILES, LegalProfile, load_profiles
from memory.extraction.configuration import describe_extraction
from memory.extraction.judging.recipes import ADAPTIVE
from memory.tenants.access import get_access
from memory.tenants.services.tenants import change_settings, read_settings
from memory.tenants.types import TenantSettings
from memory.visits.types import LOCALES


class WindowsField(forms.CharField):
    """A table of models and their windows, one "pattern = tokens" a line."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "placeholder": "my-model* = 32000"})

    def prepare_value(self, value: Any) -> Any:
        """The table as lines."""
        return "\n".join(f"{name} = {tokens}" for name, tokens in value.items()) if isinstance(value, dict) else value

    def clean(self, value: Any) -> dict[str, int]:
        """The lines as a table. Raises ValidationError that names the line."""
        table: dict[str, int] = {}
        for line in (super().clean(value) or "").splitlines():
            name, _, tokens = (part.strip() for part in line.rpartition("="))
            if not line.strip():
                continue
            is_number = tokens.isascii() and tokens.isdigit() and len(tokens) <= 9
            if not (0 < len(name) <= 100 and is_number and 1_000 <= int(tokens) <= 100_000_000):
                raise forms.ValidationError("Write one per line: a pattern of model names, = and at least 1000.")
            table[name] = int(tokens)
        return table


class NamesField(forms.CharField):
    """Names of skills, one a line. Nothing: all of them."""

    widget = forms.Textarea(attrs={"rows": 3})

    def prepare_value(self, value: Any) -> Any:
        """The names as lines."""
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> tuple[str, ...] | None:
        """The lines as names; None where there is none. Raises ValidationError for a name that is too long."""
        names = tuple(dict.fromkeys(line.strip() for line in (super().clean(value) or "").splitlines() if line.strip()))
        if any(len(name) > settings.UNDE_TUNING.CHAT_SKILL_NAME_CHARACTERS for name in names):
            raise forms.ValidationError("Write one name per line.")
        return names or None


class LinesField(forms.CharField):
    """Sites, one a line."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "placeholder": "https://app.example.com"})

    def prepare_value(self, value: Any) -> Any:
        """The sites as lines."""
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        """The lines as sites, without a slash at the end. Raises ValidationError that names the line."""
        lines = [line.strip().rstrip("/") for line in (super().clean(value) or "").splitlines() if line.strip()]
        wrong = next((line for line in lines if not is_origin(line)), None)
        if wrong is not None:
            raise forms.ValidationError("Write one per line: https:// and a host, with nothing after it.")
        if len(lines) > settings.UNDE_TUNING.MAX_PAGE_ORIGINS:
            raise forms.ValidationError(f"At most {settings.UNDE_TUNING.MAX_PAGE_ORIGINS} sites.")
        return list(dict.fromkeys(lines))


class TextsField(forms.CharField):
    """A text for each language, one "language = text" a line."""

    widget = forms.Textarea(attrs={"rows": 3, "dir": "auto", "placeholder": "en = We keep this to help you choose."})

    def prepare_value(self, value: Any) -> Any:
        """The texts as lines."""
        return "\n".join(f"{name} = {text}" for name, text in value.items()) if isinstance(value, dict) else value

    def clean(self, value: Any) -> dict[str, str]:
        """The lines as texts by language. Raises ValidationError."""
        texts: dict[str, str] = {}
        for line in (super().clean(value) or "").splitlines():
            name, _, text = (part.strip() for part in line.partition("="))
            if not line.strip():
                continue
            if name not in LOCALES or not 0 < len(text) <= 500:
                raise forms.ValidationError(f"Write one per line: {', '.join(LOCALES)}, = and at most 500 characters.")
            texts[name] = text
        return texts


class SettingsForm(forms.Form):
    """The fields of TenantSettings."""

    is_extraction_on = forms.BooleanField(label="Allow a model to read conversations", required=False)
    extraction_daily_tokens = forms.IntegerField(
        label="Daily token limit", required=False, min_value=0, max_value=settings.UNDE_TUNING.MAX_DAILY_TOKENS
    )
    is_adaptive_policy_on = forms.BooleanField(label="Store tastes and habits (adaptive policy)", required=False)
    is_query_rewriting_on = forms.BooleanField(label="Search for other wordings of a question", required=False)
    has_layers = forms.BooleanField(label="Packs contain summaries of episodes", required=False)
    is_episode_wording_on = forms.BooleanField(label="Let a model word the summaries", required=False)
    layer_warm_days = forms.IntegerField(label="Days until warm", required=False, min_value=1, max_value=3_650)
    layer_cold_days = forms.IntegerField(label="Days until cold", required=False, min_value=1, max_value=3_650)
    layer_lift_above = forms.FloatField(label="Priority that lifts one layer", required=False, min_value=0, max_value=1)
    is_project_model_on = forms.BooleanField(label="Let a model read threads and requests of projects", required=False)
    model_windows = WindowsField(label="Context windows of models", required=False, max_length=5_000)
    persona = forms.CharField(
        label="Persona of the assistant",
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )
    tone = forms.CharField(
        label="Tone",
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    skills = NamesField(label="Skills that may run", required=False, max_length=5_000)
    is_chat_understanding_on = forms.BooleanField(label="Let a model say what a message wants", required=False)
    is_knowledge_graph_on = forms.BooleanField(label="Lists are read from the graph", required=False)
    is_knowledge_router_on = forms.BooleanField(label="Questions are read against a plan", required=False)
    is_knowledge_memory_on = forms.BooleanField(label="A question may go on with the last one", required=False)
    reviewers_per_item = forms.IntegerField(label="Reviewers per item", min_value=1, max_value=MAX_REVIEWERS)
    has_rule_editor_snippets = forms.BooleanField(label="Rule editors see masked snippets", required=False)
    needs_second_publisher = forms.BooleanField(label="Publishing needs a second person", required=False)
    page_name = forms.CharField(label="Name on the memory page", required=False, max_length=80)
    page_colour = forms.RegexField(
        label="Colour",
        regex=COLOUR,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": USUAL_COLOUR, "spellcheck": "false"}),
        error_messages={"invalid": "Write # and six hexadecimal digits."},
    )
    page_logo = forms.CharField(label="Logo", required=False, max_length=41_000)
    page_words = TextsField(label="Words of your own", required=False, max_length=2_000)
    page_origins = LinesField(label="Sites that may embed the page", required=False, max_length=7_000)
    pause_keeps_messages = forms.BooleanField(label="Keep new messages while a memory is paused", required=False)
    quality_limits = LimitsField(label="Limits of service levels", required=False, max_length=2_000)
    is_governor_on = forms.BooleanField(label="Let memory act on its own figures (governor)", required=False)
    is_calibration_on = forms.BooleanField(
        label="Let feedback move confidence at night, and merge tastes that are alike", required=False
    )
    legal_profile = forms.ChoiceField(label="Erasure deadline")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        profiles = load_profiles(Path(settings.UNDE_LEGAL_PROFILES or SHIPPED_PROFILES))
        choices = [(name, f"{name.replace('_', ' ')}: {_describe(profile)}") for name, profile in profiles.items()]
        set_choices(self, "legal_profile", choices)

    def clean_page_logo(self) -> str:
        """An https address, or a picture as a data: URL. Raises ValidationError."""
        logo: str = self.cleaned_data["page_logo"]
        if logo and not LOGO.fullmatch(logo):
            raise forms.ValidationError("Must begin with https:// or be a PNG, JPEG, WebP or SVG as a data: URL.")
        return logo

    def clean(self) -> dict[str, Any]:
        """Blank is the default; an episode becomes warm before it becomes cold."""
        found = super().clean() or {}
        for name in ("layer_warm_days", "layer_cold_days", "layer_lift_above"):
            if found.get(name) is None:
                found[name] = getattr(TenantSettings(), name)
        if found["layer_cold_days"] < found["layer_warm_days"]:
            self.add_error("layer_cold_days", "Must not be less than the days until warm.")
        return found


def _describe(profile: LegalProfile) -> str:
    return f"{profile.days} {'working' if profile.is_working else 'calendar'} days"


@console_page("operate")
def show_settings(request: HttpRequest) -> HttpResponseBase:
    """The tenant's settings; a change holds from the next message, run and pack on, and is audited."""
    access = get_access(request)
    stored = read_settings(access.tenant)
    form = SettingsForm(request.POST or None, initial=msgspec.structs.asdict(stored))
    if request.method == "POST" and form.is_valid():
        wanted = msgspec.structs.replace(stored, **form.cleaned_data)
        if wanted != stored:
            change_settings(tenant=access.tenant, settings=wanted, actor=access.actor, now=timezone.now())
        messages.success(request, "Settings saved." if wanted != stored else "No changes.")
        return redirect("console:settings")
    return render_page(
        request,
        "console/tenant_settings.html",
        title="Settings",
        form=form,
        extraction=describe_extraction(),
        rewrite_deadline_ms=settings.UNDE_REWRITE_DEADLINE_MS,
        default_tokens=settings.UNDE_TUNING.EXTRACTION_DAILY_TOKENS,
        defaults=TenantSettings(),
        caps=ADAPTIVE.caps,
        max_items=settings.UNDE_TUNING.PACK_ITEMS,
        lifetime_days=ADAPTIVE.lifetime.days,
    )
