"""A golden case of either kind as a page: retold by a reviewer, tried, stored (C-2, X-4, D-27)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone

from config.console.pages import render_page
from corrections.review.golden import LANGUAGES, GoldenCheck, GoldenDraft
from corrections.review.message_cases import MessageDraft
from memory.errors import InvalidRequest
from memory.tenants.access import get_access, record_view
from patterns.registry import get_rule_set

MAX_FIELD: Final = 4_000

Draft = TypeVar("Draft", GoldenDraft, MessageDraft)


@dataclass(frozen=True, slots=True)
class CaseKind(Generic[Draft]):
    """One kind of case: what is typed, what is made of it, how it is tried, where it stands in audit and console."""

    draft: type[Draft]
    build: Callable[[Draft], dict[str, Any]]
    check: Callable[..., GoldenCheck]
    template: str
    list_page: str
    view_action: str
    object_type: str


@dataclass(frozen=True, slots=True)
class CaseSubject(Generic[Draft]):
    """What a case is made of: a user's correction or item, the draft to begin with, how a case of it is kept."""

    id: UUID
    user_id: UUID
    make_draft: Callable[[], Draft]
    write: Callable[[Draft], object]
    """Stores the case. Raises InvalidRequest where the words are still the user's own."""


def edit_case(
    request: HttpRequest, kind: CaseKind[Draft], subject: CaseSubject[Draft], **context: Any
) -> HttpResponseBase:
    """The form beside what was said (`context`): `try` runs the case, `save` stores it. The look is audited. Writes."""
    access, now = get_access(request), timezone.now()
    problems: dict[str, str] = {}
    check = None
    if request.method == "POST":
        draft = _read_draft(request, kind.draft)
        try:
            check = kind.check(kind.build(draft), rule_set=get_rule_set(tenant_id=access.tenant.id))
            if "save" in request.POST:
                subject.write(draft)
                return _answer_stored(request, kind)
        except InvalidRequest as error:
            problems = error.fields
    else:
        draft = subject.make_draft()
        ids = [subject.id, subject.user_id]
        record_view(request, action=kind.view_action, object_type=kind.object_type, object_ids=ids, now=now)
    return render_page(
        request,
        kind.template,
        title="Golden case",
        draft=draft,
        problems=problems,
        check=check,
        languages=LANGUAGES,
        list_page=kind.list_page,
        **context,
    )


def _read_draft(request: HttpRequest, draft: type[Draft]) -> Draft:
    return draft(**{field.name: request.POST.get(field.name, "")[:MAX_FIELD] for field in fields(draft)})


def _answer_stored(request: HttpRequest, kind: CaseKind[Draft]) -> HttpResponseBase:
    messages.success(request, "Golden case saved. It will be in the next export.")
    return redirect(kind.list_page)
