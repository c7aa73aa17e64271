"""Pages of projects."""

from django.urls import path

from config.console.projects import pages

_PROJECT = "projects/<uuid:project_id>/"

urlpatterns = [
    path("projects/", pages.show_projects, name="projects"),
    path(_PROJECT, pages.show_overview, name="project"),
    path(f"{_PROJECT}timeline/", pages.show_timeline, name="project_timeline"),
    path(f"{_PROJECT}graph/", pages.show_graph, name="project_graph"),
    path(f"{_PROJECT}contradictions/", pages.show_contradictions, name="project_contradictions"),
    path(f"{_PROJECT}contradictions/<uuid:conflict_id>/", pages.resolve, name="resolve_contradiction"),
    path(f"{_PROJECT}context/", pages.explain_context, name="project_context"),
]
