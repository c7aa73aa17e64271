"""What the pages of a corpus share: the corpus of the address, tabs, the audit trail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from config.console.pages import render_page
from memory.tenants.access import get_access, has_permission
from memory.tenants.services.audit import record_audit_event
from retrieval.knowledge.errors import CorpusNotFound
from retrieval.knowledge.models import Corpus
from retrieval.knowledge.services.registry import Person

READERS: Final = ("edit_patterns", "operate", "audit")
EDITORS: Final = ("edit_patterns",)
OPERATORS: Final = ("operate",)
TABS: Final = (
    ("Overview", "console:corpus"),
    ("Entities", "console:corpus_entities"),
    ("Names to settle", "console:corpus_names"),
    ("Plan", "console:corpus_plan"),
    ("Ask", "console:corpus_ask"),
)


def find_corpus(request: HttpRequest, corpus_id: int) -> Corpus:
    """The corpus of an address. Raises CorpusNotFound."""
    corpus = Corpus.objects.filter(tenant_id=get_access(request).tenant.id, id=corpus_id).first()
    if corpus is None:
        raise CorpusNotFound
    return corpus


def render_corpus(
    request: HttpRequest, corpus: Corpus, template: str, *, here: str, **content: Any
) -> HttpResponseBase:
    """A page in the frame of a corpus."""
    return render_page(
        request,
        f"console/knowledge/{template}.html",
        title=corpus.name,
        corpus=corpus,
        tabs=[(name, url, url == here) for name, url in TABS],
        can_edit=has_permission(request, *EDITORS),
        can_operate=has_permission(request, *OPERATORS),
        **content,
    )


def make_person(request: HttpRequest) -> Person:
    """Who decides, with the reason of the form."""
    reason = request.POST.get("reason", "").strip()[:200]
    return Person(staff_id=get_access(request).staff_user_id, now=timezone.now(), reason=reason)


def audit(request: HttpRequest, action: str, corpus: Corpus, ids: Sequence[UUID] = ()) -> None:
    """Write a change to the audit trail: ids only; a corpus goes by its number."""
    access = get_access(request)
    record_audit_event(
        tenant_id=access.tenant.id,
        actor=access.actor,
        action=f"knowledge.{action}",
        now=timezone.now(),
        object_type="corpus",
        object_ids=[UUID(int=corpus.id), *ids],
    )
