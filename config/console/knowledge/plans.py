"""The plan of a corpus in versions: a draft is written, tried, made active; the one before comes back."""

from __future__ import annotations

import json
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.knowledge.frame import EDITORS, READERS, audit, find_corpus, render_corpus
from config.console.pages import console_page, describe_error, telling
from memory.errors import CodedError, NotFound
from memory.tenants.access import get_access, has_permission
from memory.tenants.scope import tenant_scope
from retrieval.knowledge.models import Corpus, Plan
from retrieval.knowledge.planning.editing import (
    DRAFT,
    activate_plan,
    add_draft,
    change_draft,
    find_plan,
    list_plans,
    return_to_shipped,
)
from retrieval.knowledge.planning.plans import list_current_intents, list_default_intents

MAX_PLAN: Final = 1_000_000  # characters of JSON


class PlanForm(forms.Form):
    """The intents of a plan as JSON."""

    intents = forms.CharField(
        label="Intents", max_length=MAX_PLAN, widget=forms.Textarea(attrs={"rows": 26, "spellcheck": "false"})
    )
    note = forms.CharField(label="Reason", required=False, max_length=200)

    def clean_intents(self) -> list[dict[str, Any]]:
        """The intents. Raises ValidationError for what is no list of objects."""
        try:
            intents = json.loads(self.cleaned_data["intents"])
        except ValueError as error:
            raise forms.ValidationError(f"This is not JSON: {error}") from None
        if not isinstance(intents, list) or not all(isinstance(one, dict) for one in intents):
            raise forms.ValidationError("A plan must be a list of objects.")
        return intents


@console_page(*READERS)
def show_plans(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """The intents that hold, all versions, and a form for a new draft."""
    corpus = find_corpus(request, corpus_id)
    can_edit = has_permission(request, *EDITORS)
    current = list_current_intents(corpus)
    form = PlanForm(request.POST if request.method == "POST" and can_edit else None, initial=_write(current))
    if form.is_bound and form.is_valid() and (plan := _save(request, corpus, form, None)):
        return redirect("console:corpus_draft", corpus.id, plan)
    plans = list_plans(corpus)
    return render_corpus(
        request,
        corpus,
        "plan",
        here="console:corpus_plan",
        intents=[intent | {"ways": _write_paths(intent.get("path"))} for intent in current],
        plans=plans,
        active=next((plan for plan in plans if plan.state == "active"), None),
        has_shipped=bool(list_default_intents(corpus)),
        form=form,
    )


@console_page(*READERS)
def show_draft(request: HttpRequest, corpus_id: int, plan_id: UUID) -> HttpResponseBase:
    """One version: a draft is edited here, any other is read."""
    corpus = find_corpus(request, corpus_id)
    plan = find_plan(corpus, plan_id)
    can_edit = has_permission(request, *EDITORS) and plan.state == DRAFT
    initial = _write(plan.intents) | {"note": plan.note}
    form = PlanForm(request.POST if request.method == "POST" and can_edit else None, initial=initial)
    if form.is_bound and form.is_valid() and _save(request, corpus, form, plan):
        return redirect("console:corpus_draft", corpus.id, plan.id)
    return render_corpus(request, corpus, "draft", here="console:corpus_plan", plan=plan, form=form, is_draft=can_edit)


@require_POST
@console_page(*EDITORS)
def activate(request: HttpRequest, corpus_id: int, plan_id: UUID) -> HttpResponseBase:
    """Make a version the plan of the corpus; a former one is rolled back to in the same way."""
    corpus = find_corpus(request, corpus_id)
    if not Plan.objects.filter(corpus_id=corpus.id, id=plan_id).exists():
        raise NotFound("This plan does not exist.")
    with telling(request):
        with tenant_scope(get_access(request).tenant.id):
            activate_plan(corpus, plan_id=plan_id, now=timezone.now())
        audit(request, "plan_activate", corpus, [plan_id])
        messages.success(request, "Plan activated.")
    return redirect("console:corpus_plan", corpus.id)


@require_POST
@console_page(*EDITORS)
def give_back(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """Retire the active plan: the intents of the schema hold again."""
    corpus = find_corpus(request, corpus_id)
    return_to_shipped(corpus)
    audit(request, "plan_return", corpus)
    messages.success(request, "The intents of the schema are active again.")
    return redirect("console:corpus_plan", corpus.id)


def _write(intents: list[dict[str, Any]]) -> dict[str, str]:
    return {"intents": json.dumps(intents, ensure_ascii=False, indent=2)}


def _save(request: HttpRequest, corpus: Corpus, form: PlanForm, plan: Plan | None) -> UUID | None:
    """Store the form as a new draft or into one; its id, None with the error in the form."""
    access, intents, note = get_access(request), form.cleaned_data["intents"], form.cleaned_data["note"]
    try:
        with tenant_scope(access.tenant.id):
            if plan is None:
                now, staff = timezone.now(), access.staff_user_id
                made = add_draft(corpus, intents=intents, note=note, staff_id=staff, now=now).id
            else:
                change_draft(corpus, plan_id=plan.id, intents=intents, note=note)
                made = plan.id
    except CodedError as error:
        form.add_error(None, describe_error(error))
        return None
    audit(request, "plan_draft", corpus, [made])
    messages.success(request, "Draft saved. It answers nobody yet. Test it under Ask.")
    return made


def _write_paths(path: list[Any] | None) -> list[str]:
    """Each path of an intent on a line of its own; none for a text search."""
    if path is None:
        return []
    paths = path if path and all(isinstance(one, list) for one in path) else [path]
    return [" → ".join(steps) or "the entity itself" for steps in paths]
