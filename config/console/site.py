"""The admin site of the console: unfold's, whose pages list applications only where one shows them."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import SimpleLazyObject
from unfold.sites import UnfoldAdminSite


class ConsoleSite(UnfoldAdminSite):
    """Unfold's site. Its sidebar is ours (`config.console.navigation`) and shows no applications."""

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Django's list of applications, made when it is first read.

        Django hands the list to each page. To make it costs more than the rest of a small page: it asks every list for
        its permissions, with two statements for the groups of a staff user.
        """
        return cast("list[Any]", SimpleLazyObject(lambda: super(ConsoleSite, self).get_app_list(request, app_label)))

    def search(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The box of the sidebar: pages by a part of their name, of those that the staff user may open.

        Unfold looks among models alone, of which few are pages here, and keeps what it found for all roles.
        """
        from config.console.navigation import find_pages  # it needs the models, which are not there yet

        found = find_pages(request, request.GET.get("s", ""))
        return TemplateResponse(request, "unfold/helpers/search_results.html", {"results": found})


class ConsoleConfig(AdminConfig):
    """`django.contrib.admin` with our site. It stands in INSTALLED_APPS in its place."""

    default = False
    default_site = "config.console.site.ConsoleSite"
