from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

class ModelAdmin(admin.ModelAdmin[Any]):
    list_filter_sheet: bool
    list_fullwidth: bool
    list_before_template: str | None
    compressed_fields: bool
    warn_unsaved_form: bool
    # Django renders a page, but a check before it may answer with a redirect.
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = ...) -> HttpResponse: ...
