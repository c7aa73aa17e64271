"""What every own page of the console is wrapped in: login, permission, coded errors in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from memory.errors import CodedError, NotFound
from memory.tenants.access import has_permission

View = Callable[..., HttpResponseBase]


def console_page(*permissions: str) -> Callable[[View], View]:
    """A view for staff who have one of the permissions in the tenant they work in; for all staff when none is named.

    What is not there is a page that says so; any other coded error becomes a message on the start page.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if permissions and not has_permission(request, *permissions):
                return show_refusal(request)
            try:
                return view(request, *args, **kwargs)
            except NotFound as error:
                return render_page(request, "console/refusal.html", title=error.message, status=404)
            except CodedError as error:
                messages.error(request, describe_error(error))
                return redirect("admin:index")

        wrapped: View = wraps(view)(admin.site.admin_view(guarded))
        return wrapped

    return decorate


@contextmanager
def telling(request: HttpRequest, *, but: type[CodedError] | tuple[()] = ()) -> Iterator[None]:
    """A coded error of the block, except `but`, becomes a message. What follows the block says where to go then."""
    try:
        yield
    except but:
        raise
    except CodedError as error:
        messages.error(request, describe_error(error))


def render_page(
    request: HttpRequest, template: str, *, title: str, status: int = 200, **context: Any
) -> TemplateResponse:
    """A page in the console's frame."""
    everything = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, template, everything, status=status)


def ask_first(request: HttpRequest, *, title: str, **words: Any) -> TemplateResponse:
    """A page that says what a button does before it does it: `sentence`, `button`, `back_url`, perhaps `details`."""
    return render_page(request, "console/confirm.html", title=title, **words)


def show_refusal(request: HttpRequest) -> TemplateResponse:
    """The page for staff whose roles do not go as far as what they asked for."""
    return render_page(
        request, "console/refusal.html", title="Your roles in this tenant do not allow this page", status=403
    )


def answer_forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponseBase:
    """handler403 of the project: the refusal in the console's frame. The API answers its own refusals with codes."""
    return show_refusal(request).render()


def describe_error(error: CodedError) -> str:
    """One sentence for a message bar."""
    details = "; ".join(f"{name} {problem}" for name, problem in error.fields.items())
    return f"{error.message} ({details})" if details else error.message
