"""Proposals for the tenant's knowledge: values that several users share, each accepted or refused (SPEC N-8)."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.db.models import Value
from django.db.models.functions import Replace
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.knowledge.frame import EDITORS, READERS
from config.console.navigation import mark_entry
from config.console.pages import console_page, render_page, telling
from corrections.models.promotion import PromotionProposal
from corrections.promotion import deciding, weighing
from memory.tenants.access import get_access, has_permission
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from retrieval.knowledge.selectors.corpora import list_corpora

MAX_ROWS = 200


@console_page(*READERS)
def show_proposals(request: HttpRequest) -> HttpResponseBase:
    """What waits, and what was decided. No page says whose facts stand behind a value."""
    mark_entry(request, "console:proposals")
    tenant_id = get_access(request).tenant.id
    rows = PromotionProposal.objects.filter(tenant_id=tenant_id).annotate(
        kind=Replace("knowledge_type", Value("_"), Value(" "))
    )
    return render_page(
        request,
        "console/knowledge/promotion.html",
        title="Proposals",
        waiting=list(rows.filter(state="pending").order_by("-users", "value")[:MAX_ROWS]),
        decided=list(rows.exclude(state="pending").order_by("-decided_at")[:MAX_ROWS]),
        corpora=list_corpora(tenant_id=tenant_id, after=None, limit=MAX_ROWS),
        can_edit=has_permission(request, *EDITORS),
        limits=weighing,
    )


@require_POST
@console_page(*EDITORS)
def decide(request: HttpRequest, proposal_id: UUID) -> HttpResponseBase:
    """Accept a proposal into a corpus, or refuse it; audited by its id."""
    access, now = get_access(request), timezone.now()
    if not PromotionProposal.objects.filter(tenant_id=access.tenant.id, id=proposal_id).exists():
        raise Http404
    is_accepted = request.POST.get("verb") == "accept"
    common = {"tenant_id": access.tenant.id, "proposal_id": proposal_id}
    with telling(request):
        with tenant_scope(access.tenant.id):
            if is_accepted:
                corpus = request.POST.get("corpus", "")
                deciding.accept(**common, corpus=corpus, staff_id=access.staff_user_id, now=now)
            else:
                deciding.refuse(**common, staff_id=access.staff_user_id, now=now)
        record_audit_event(
            tenant_id=access.tenant.id,
            actor=access.actor,
            action="promotion.accept" if is_accepted else "promotion.refuse",
            now=now,
            object_type="promotion",
            object_ids=[proposal_id],
        )
        messages.success(request, "It is in the corpus." if is_accepted else "It will not be proposed again.")
    return redirect("console:proposals")
