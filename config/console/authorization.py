"""Whose tokens open `/mcp/oauth/{tenant}`: the tenant's own authorization server, set by its staff (D-40)."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone

from config.console.fields import set_choices
from config.console.pages import console_page, render_page
from config.mcp.oauth.checking import check_server
from config.mcp.oauth.tokens import ALGORITHMS
from memory.errors import InvalidRequest
from memory.tenants.access import get_access
from memory.tenants.models import Tenant
from memory.tenants.services.tenants import change_settings, read_settings
from memory.tenants.types import AuthorizationServer, Scope

DOOR: Final = "/mcp/oauth/"
RIGHTS: Final = {
    Scope.READ.value: "Read: context, search, messages",
    Scope.FACTS.value: "Facts: list and doubt them",
    Scope.WRITE.value: "Add notes",
    Scope.FORGET.value: "Forget, after a dry run",
}
"""What the tools of the door need."""
_URL: Final = {"spellcheck": "false", "autocomplete": "off"}


class ServerForm(forms.Form):
    """The fields of AuthorizationServer."""

    issuer = forms.CharField(
        label="Issuer",
        max_length=500,
        help_text="exactly as in the tokens",
        widget=forms.TextInput(attrs={**_URL, "placeholder": "https://login.example.com"}),
    )
    resource = forms.CharField(
        label="Public address of the door",
        max_length=500,
        help_text="as clients write it",
        widget=forms.TextInput(_URL),
    )
    audience = forms.CharField(label="Audience", required=False, max_length=500, help_text="blank = the public address")
    jwks_url = forms.CharField(
        label="Address of the keys",
        required=False,
        max_length=500,
        help_text="blank = as the issuer's metadata says",
        widget=forms.TextInput(_URL),
    )
    user_claim = forms.CharField(label="Claim that names the user", max_length=100, initial="sub")
    algorithms = forms.MultipleChoiceField(
        label="Accepted signatures",
        choices=[(name, name) for name in sorted(ALGORITHMS)],
        widget=forms.CheckboxSelectMultiple,
    )
    required_scope = forms.RegexField(
        label="Scope that a token must have",
        regex=r"^[!#-\[\]-~]*$",
        required=False,
        max_length=100,
        help_text="blank = none",
        error_messages={"invalid": "One scope: printable ASCII characters without spaces and quotes."},
    )
    scopes = forms.MultipleChoiceField(label="What a token may do", widget=forms.CheckboxSelectMultiple)
    requests_per_minute = forms.IntegerField(label="Requests per minute of a client", min_value=1, max_value=100_000)

    def __init__(self, *args: Any, slug: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slug = slug
        kept = [scope for scope in self.initial.get("scopes", ()) if scope not in RIGHTS]
        set_choices(self, "scopes", [*RIGHTS.items(), *((scope, scope) for scope in kept)])

    def clean_resource(self) -> str:
        """An https address that leads to this tenant's door. Raises ValidationError."""
        resource: str = self.cleaned_data["resource"].rstrip("/")
        parts = _split(resource)
        if parts.scheme != "https" or not parts.hostname:
            raise forms.ValidationError("Must begin with https:// and name a host.")
        if not parts.path.endswith(f"{DOOR}{self.slug}"):
            raise forms.ValidationError(f"Must end with {DOOR}{self.slug}: that is this tenant's door.")
        return resource

    def clean(self) -> dict[str, Any]:
        """The values, and `server` when they are one whose keys could be fetched."""
        found = super().clean() or {}
        if self.errors:
            return found
        values = {**found, "algorithms": tuple(found["algorithms"]), "scopes": tuple(found["scopes"])}
        try:
            self.server = msgspec.convert(values, AuthorizationServer)
            self.key_count = check_server(self.server)
        except msgspec.ValidationError as error:
            name = str(error).rpartition("$.")[2].partition("`")[0]
            self.add_error(name if name in self.fields else None, "Must be an address of printable ASCII characters.")
        except InvalidRequest as error:
            for name, reason in error.fields.items():
                self.add_error(name, f"{reason[0].upper()}{reason[1:]}.")
        return found


def _split(url: str) -> Any:
    try:
        return urlsplit(url)
    except ValueError:
        raise forms.ValidationError("Is not an address.") from None


@console_page("operate")
def show_authorization(request: HttpRequest) -> HttpResponseBase:
    """The server, its keys checked when it is saved, and the way to take it out again. Writes, audited."""
    access = get_access(request)
    stored = read_settings(access.tenant).authorization_server
    if request.method == "POST" and "remove" in request.POST:
        return _save(request, None, "Tokens are not accepted any more.")
    usual = {"resource": request.build_absolute_uri(f"{DOOR}{access.tenant.slug}"), **_list_defaults()}
    initial = {**usual, **(msgspec.structs.asdict(stored) if stored else {})}
    form = ServerForm(request.POST or None, initial=initial, slug=access.tenant.slug)
    if request.method == "POST" and form.is_valid():
        return _save(
            request, form.server, f"Tokens of {form.server.issuer} are accepted; keys found: {form.key_count}."
        )
    return render_page(
        request,
        "console/authorization.html",
        title="Sign-in for assistants",
        form=form,
        server=stored,
        door=f"{DOOR}{access.tenant.slug}",
    )


def _list_defaults() -> dict[str, Any]:
    fields = msgspec.structs.fields(AuthorizationServer)
    return {field.name: field.default for field in fields if field.default is not msgspec.NODEFAULT}


def _save(request: HttpRequest, server: AuthorizationServer | None, sentence: str) -> HttpResponseBase:
    access = get_access(request)
    tenant: Tenant = access.tenant
    stored = read_settings(tenant)
    wanted = msgspec.structs.replace(stored, authorization_server=server)
    if wanted != stored:
        change_settings(tenant=tenant, settings=wanted, actor=access.actor, now=timezone.now())
    messages.success(request, sentence if wanted != stored else "No changes.")
    return redirect("console:authorization")
