"""Choosing the tenant to work in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from config.console.middleware import SESSION_KEY
from config.console.pages import console_page
from memory.tenants.access import get_access


@require_POST
@console_page()
def switch_tenant(request: HttpRequest) -> HttpResponseBase:
    """Remember the chosen tenant in the session, if it is one of the staff user's, and go to the start page."""
    chosen = request.POST.get("tenant", "")
    if any(str(tenant.id) == chosen for tenant in get_access(request).tenants):
        request.session[SESSION_KEY] = chosen
    # A page about one user means nothing in another tenant; lists do.
    back = request.POST.get("next", "")
    is_safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}) and "/user/" not in back
    return redirect(back if is_safe and back else "admin:index")
