"""What is on its way in this tenant, and by which version messages are read."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase

from config.console.pages import console_page, render_page
from config.console.rules.access import find_status
from memory.tenants.access import get_access
from patterns.models import RuleVersion
from patterns.selectors import list_open_versions


@console_page("edit_patterns")
def show_changes(request: HttpRequest) -> HttpResponseBase:
    """Drafts and trials, newest first."""
    changes = [
        {
            "row": version,
            "is_rule": isinstance(version, RuleVersion),
            "subject": version.rule if isinstance(version, RuleVersion) else version.entry,
        }
        for version in list_open_versions(tenant_id=get_access(request).tenant.id)
    ]
    return render_page(
        request,
        "console/rules/changes.html",
        title="Changes on their way",
        changes=changes,
        rules_status=find_status(request),
    )
