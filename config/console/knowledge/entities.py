"""The entities of a corpus, and the page of one: names, mentions, neighbours."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponseBase

from config.console.drawing.neighbours import Neighbour, draw_neighbours
from config.console.knowledge.frame import READERS, find_corpus, render_corpus
from config.console.pages import console_page
from memory.errors import NotFound
from retrieval.knowledge.models import Entity
from retrieval.knowledge.selectors.entities import list_aliases, list_entities
from retrieval.knowledge.selectors.neighbours import list_mentions, list_neighbours

PAGE: Final = 50
MAX_QUERY: Final = 200
MAX_DIGITS: Final = 18


@console_page(*READERS)
def show_entities(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """Entities page by page; with `q` those one of whose names has a word that begins so."""
    corpus = find_corpus(request, corpus_id)
    q = request.GET.get("q", "").strip()[:MAX_QUERY]
    after = request.GET.get("after", "")
    last = int(after) if after.isdecimal() and len(after) < MAX_DIGITS else None
    rows = list_entities(
        corpus_id=corpus.id,
        q=q or None,
        after=last,
        limit=PAGE,
    )
    following = rows[-1].id if len(rows) == PAGE else None
    return render_corpus(
        request, corpus, "entities", here="console:corpus_entities", rows=rows, q=q, following=following
    )


@console_page(*READERS)
def show_entity(request: HttpRequest, corpus_id: int, entity_id: int) -> HttpResponseBase:
    """One entity. Raises NotFound."""
    corpus = find_corpus(request, corpus_id)
    entity = Entity.objects.filter(corpus_id=corpus.id, id=entity_id).first()
    if entity is None:
        raise NotFound("This entity does not exist in this corpus.")
    neighbours, total = list_neighbours(corpus_id=corpus.id, entity_id=entity.id)
    drawn = [Neighbour(one.id, one.kind, one.type, one.name, one.leads_here) for one in neighbours]
    into = Entity.objects.filter(corpus_id=corpus.id, id=entity.merged_into_id or 0).first()
    merged = Entity.objects.filter(corpus_id=corpus.id, merged_into_id=entity.id).order_by("id")
    return render_corpus(
        request,
        corpus,
        "entity",
        here="console:corpus_entities",
        entity=entity,
        into=into,
        merged=list(merged[:PAGE]),
        aliases=list_aliases(corpus_id=corpus.id, entities=[entity.id]).get(entity.id, []),
        mentions=list_mentions(corpus_id=corpus.id, entity_id=entity.id),
        neighbours=neighbours,
        picture=draw_neighbours(entity.name, drawn, total=total),
    )
