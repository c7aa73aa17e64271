"""Backtests in the console: asked for, watched, stopped; samples are masked unless a reviewer looks (D-27)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page, show_refusal
from config.console.rules.access import find_row, get_version
from config.console.rules.progress import is_of_phrases, show_backtest_row
from corrections.backtests.masking import Snippet, mask
from corrections.backtests.running import cancel_backtest, request_backtest, resume_backtest
from corrections.backtests.selectors import find_backtest, list_sample_texts, list_samples
from corrections.models import Backtest, BacktestSample
from corrections.tasks import send_backtest
from memory.errors import NotFound
from memory.tenants.access import get_access, has_permission, record_view
from memory.tenants.models import Tenant
from memory.tenants.services.tenants import read_settings
from patterns.models import LexiconEntry, Rule

CHOICES: Final = (200, 1_000, 5_000)


@dataclass(frozen=True, slots=True)
class ShownSample:
    """A sample as a rule editor sees it; `snippet` is None where the words may not or can not be shown."""

    row: BacktestSample
    snippet: Snippet | None


@require_POST
@console_page("edit_patterns")
def start_backtest(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Ask for a backtest of a draft and wake a worker for it."""
    version = get_version(request, kind, version_id)
    access = get_access(request)
    asked = request.POST.get("messages", "")
    is_number = asked.isdecimal() and len(asked) < 10
    backtest = request_backtest(
        tenant_id=access.tenant.id,
        version=version,
        messages_per_language=int(asked) if is_number and 1 <= int(asked) <= 100_000 else CHOICES[1],
        requested_by=access.actor_code,
        now=timezone.now(),
    )
    _send(request, backtest.id)
    return redirect("console:backtest", backtest.id)


@console_page("edit_patterns")
def show_backtest(request: HttpRequest, backtest_id: UUID) -> HttpResponseBase:
    """Counts by language and samples; asked for by the page itself while it runs, it answers the moving part alone."""
    backtest = _get(request, backtest_id)
    shown = show_backtest_row(backtest)
    model = Rule if backtest.subject_kind == "rule" else LexiconEntry
    of_phrases = is_of_phrases(find_row(request, model, backtest.subject_id))
    if request.headers.get("HX-Request"):
        context = {"backtest": shown, "is_of_phrases": of_phrases}
        answer = render(request, "console/rules/backtest_counts.html", context)
        if not shown.is_open:
            answer["HX-Refresh"] = "true"
        return answer
    is_reviewer = has_permission(request, "review_facts")
    samples = [] if shown.is_open else _list_shown(request, backtest)
    return render_page(
        request,
        "console/rules/backtest.html",
        title="Backtest",
        backtest=shown,
        is_of_phrases=of_phrases,
        samples=samples,
        has_snippets=_has_snippets(request),
        is_reviewer=is_reviewer,
        page_name="console:edit_rule" if backtest.subject_kind == "rule" else "console:edit_entry",
    )


@require_POST
@console_page("edit_patterns")
def stop_backtest(request: HttpRequest, backtest_id: UUID) -> HttpResponseBase:
    """Stop it after the page that it is reading."""
    backtest = _get(request, backtest_id)
    actor = get_access(request).actor_code
    cancel_backtest(tenant_id=backtest.tenant_id, backtest_id=backtest.id, actor=actor, now=timezone.now())
    return redirect("console:backtest", backtest.id)


@require_POST
@console_page("edit_patterns")
def continue_backtest(request: HttpRequest, backtest_id: UUID) -> HttpResponseBase:
    """Go on from where it stopped."""
    backtest = _get(request, backtest_id)
    actor = get_access(request).actor_code
    resume_backtest(tenant_id=backtest.tenant_id, backtest_id=backtest.id, actor=actor, now=timezone.now())
    _send(request, backtest.id)
    return redirect("console:backtest", backtest.id)


@require_POST
@console_page("edit_patterns", "review_facts")
def unmask_sample(request: HttpRequest, backtest_id: UUID, sample_id: UUID) -> HttpResponseBase:
    """The whole message of one sample, for reviewers; every look is in the audit trail with the message's id (D-27)."""
    if not has_permission(request, "review_facts"):
        return show_refusal(request)
    backtest = _get(request, backtest_id)
    sample = next((one for one in list_samples(backtest_id=backtest.id) if one.id == sample_id), None)
    text = list_sample_texts([sample]).get(sample.message_id) if sample else None
    if sample is None or text is None:
        raise NotFound("The message of this sample is no longer available.")
    record_view(
        request, action="backtest.unmask", object_type="message", object_ids=[sample.message_id], now=timezone.now()
    )
    return render(request, "console/rules/unmasked.html", {"text": text})


def _get(request: HttpRequest, backtest_id: UUID) -> Backtest:
    backtest = find_backtest(tenant_id=get_access(request).tenant.id, backtest_id=backtest_id)
    if backtest is None:
        raise NotFound("This backtest does not exist in this tenant.")
    return backtest


def _send(request: HttpRequest, backtest_id: UUID) -> None:
    # After the page's transaction: a worker must find the row.
    tenant_id = get_access(request).tenant.id
    transaction.on_commit(lambda: send_backtest(tenant_id=tenant_id, backtest_id=backtest_id), robust=True)
    messages.success(request, "The backtest runs in the background. This page shows its progress.")


def _list_shown(request: HttpRequest, backtest: Backtest) -> list[ShownSample]:
    samples = list_samples(backtest_id=backtest.id)
    if not _has_snippets(request):
        return [ShownSample(sample, None) for sample in samples]
    texts = list_sample_texts(samples)
    shown: list[ShownSample] = []
    for sample in samples:
        text = texts.get(sample.message_id)
        place: Any = {"start": sample.first_character, "end": sample.last_character}
        shown.append(ShownSample(sample, mask(text, **place) if text is not None else None))
    return shown


def _has_snippets(request: HttpRequest) -> bool:
    tenant: Tenant = get_access(request).tenant
    return read_settings(tenant).has_rule_editor_snippets
