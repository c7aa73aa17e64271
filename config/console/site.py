"""The admin site of the console: unfold's, whose pages list applications only where one shows them."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest
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


class ConsoleConfig(AdminConfig):
    """`django.contrib.admin` with our site. It stands in INSTALLED_APPS in its place."""

    default = False
    default_site = "config.console.site.ConsoleSite"
