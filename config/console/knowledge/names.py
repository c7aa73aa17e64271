"""The work list of a registry: ambiguous names, unsure readings, twins; each settled by a person, and taken back."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from config.console.knowledge.frame import EDITORS, READERS, audit, find_corpus, make_person, render_corpus
from config.console.pages import console_page, telling
from memory.errors import InvalidRequest, NotFound
from memory.tenants.access import get_access
from memory.tenants.scope import tenant_scope
from retrieval.knowledge.models import Corpus, Entity, RegistryAction
from retrieval.knowledge.selectors.work_list import list_decisions, read_work_list
from retrieval.knowledge.services.registry import decide_name, merge_entities, split_name, undo_action

DONE = {
    "confirm": "Name confirmed.",
    "refuse": "Name refused. It is no longer read as this entity.",
    "merge": "Entities merged.",
    "split": "The name now has its own entity.",
}


@console_page(*READERS)
def show_names(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """What waits, and the log of what was decided."""
    corpus = find_corpus(request, corpus_id)
    return render_corpus(
        request,
        corpus,
        "names",
        here="console:corpus_names",
        work=read_work_list(corpus_id=corpus.id),
        decisions=list_decisions(corpus_id=corpus.id),
    )


@require_POST
@console_page(*EDITORS)
def decide(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """Carry out one decision; an error is a message on the page."""
    corpus = find_corpus(request, corpus_id)
    verb = request.POST.get("verb", "")
    with telling(request):
        with tenant_scope(get_access(request).tenant.id):
            action = _decide(request, corpus, verb)
        audit(request, verb, corpus, [action])
        messages.success(request, DONE[verb])
    return _go_back(request, corpus)


@require_POST
@console_page(*EDITORS)
def undo(request: HttpRequest, corpus_id: int, action_id: UUID) -> HttpResponseBase:
    """Take a decision back."""
    corpus, tenant_id = find_corpus(request, corpus_id), get_access(request).tenant.id
    if not RegistryAction.objects.filter(corpus_id=corpus.id, id=action_id).exists():
        raise NotFound("This decision does not exist.")
    with telling(request):
        with tenant_scope(tenant_id):
            undo_action(
                tenant_id=tenant_id, corpus=corpus.external_id, action_id=action_id, person=make_person(request)
            )
        audit(request, "undo", corpus, [action_id])
        messages.success(request, "Decision undone.")
    return _go_back(request, corpus)


def _decide(request: HttpRequest, corpus: Corpus, verb: str) -> UUID:
    tenant_id, person = corpus.tenant_id, make_person(request)
    entity, text = _read_number(request, "entity"), request.POST.get("text", "")
    if verb in ("confirm", "refuse"):
        return decide_name(
            tenant_id=tenant_id,
            corpus=corpus.external_id,
            entity_id=entity,
            text=text,
            is_name=verb == "confirm",
            person=person,
        )
    if verb == "merge":
        return merge_entities(
            tenant_id=tenant_id,
            corpus=corpus.external_id,
            source_id=_find_other(request, corpus, entity),
            target_id=entity,
            person=person,
        )
    if verb == "split":
        return split_name(tenant_id=tenant_id, corpus=corpus.external_id, entity_id=entity, text=text, person=person)
    raise InvalidRequest("This decision does not exist.", fields={"verb": "is unknown"})


def _find_other(request: HttpRequest, corpus: Corpus, entity: int) -> int:
    """The entity to merge: by its number on the work list, by its key on the page of the entity that stays."""
    if "other_key" not in request.POST:
        return _read_number(request, "other")
    same_type = Entity.objects.filter(corpus_id=corpus.id, id=entity).values("type")
    found = Entity.objects.filter(
        corpus_id=corpus.id, type__in=same_type, key=request.POST["other_key"].strip()
    ).first()
    if found is None:
        raise InvalidRequest("No entity of this type has this key.", fields={"other_key": "is unknown"})
    return found.id


def _read_number(request: HttpRequest, name: str) -> int:
    value = request.POST.get(name, "")
    if not value.isdecimal() or not value.isascii() or len(value) > 18:
        raise InvalidRequest("Choose an entity.", fields={name: "is not the number of an entity"})
    return int(value)


def _go_back(request: HttpRequest, corpus: Corpus) -> HttpResponseBase:
    """To the page that the decision was made on, when it is one of ours."""
    back = request.POST.get("back", "")
    if back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return redirect(back)
    return redirect("console:corpus_names", corpus.id)
