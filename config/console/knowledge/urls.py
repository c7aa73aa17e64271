"""Paths of the pages of corpora. A corpus goes by its number: your own id may hold a slash."""

from __future__ import annotations

from django.urls import path

from config.console.knowledge import asking, corpora, entities, names, plans, promotion

_CORPUS = "knowledge/<int:corpus_id>/"

urlpatterns = [
    path("knowledge/proposals/", promotion.show_proposals, name="proposals"),
    path("knowledge/proposals/<uuid:proposal_id>/", promotion.decide, name="decide_proposal"),
    path("knowledge/", corpora.show_corpora, name="corpora"),
    path(_CORPUS, corpora.show_corpus, name="corpus"),
    path(f"{_CORPUS}schema/", corpora.show_schema, name="corpus_schema"),
    path(f"{_CORPUS}entities/", entities.show_entities, name="corpus_entities"),
    path(f"{_CORPUS}entities/<int:entity_id>/", entities.show_entity, name="corpus_entity"),
    path(f"{_CORPUS}names/", names.show_names, name="corpus_names"),
    path(f"{_CORPUS}names/decide/", names.decide, name="decide_name"),
    path(f"{_CORPUS}names/<uuid:action_id>/undo/", names.undo, name="undo_name"),
    path(f"{_CORPUS}plan/", plans.show_plans, name="corpus_plan"),
    path(f"{_CORPUS}plan/back/", plans.give_back, name="give_plan_back"),
    path(f"{_CORPUS}plan/<uuid:plan_id>/", plans.show_draft, name="corpus_draft"),
    path(f"{_CORPUS}plan/<uuid:plan_id>/activate/", plans.activate, name="activate_plan"),
    path(f"{_CORPUS}ask/", asking.show_bench, name="corpus_ask"),
]
