"""Paths of projects under /v1."""

from django.urls import path

from config.api.endpoints.projects import contexts, items, records, registers

_PROJECT = "projects/<external:project>"

urlpatterns = [
    path("projects", records.Projects.as_view(), name="projects"),
    # Before the others: "normalise" is the id of no project.
    path("projects/normalise", contexts.NormaliseAny.as_view(), name="projects-normalise"),
    path("snapshots/<uuid:snapshot_id>", contexts.SnapshotDetail.as_view(), name="snapshot"),
    path("snapshots/<uuid:snapshot_id>/diff/<uuid:other_id>", contexts.SnapshotDiff.as_view(), name="snapshot-diff"),
    path("decisions/<external:decision>/state", records.DecisionState.as_view(), name="decision-state"),
    path(f"{_PROJECT}/threads/<external:conversation>", records.Thread.as_view(), name="project-thread"),
    path(f"{_PROJECT}/facts", records.Facts.as_view(), name="project-facts"),
    path(f"{_PROJECT}/decisions", records.Decisions.as_view(), name="project-decisions"),
    path(f"{_PROJECT}/artifacts", items.Artifacts.as_view(), name="project-artifacts"),
    path(f"{_PROJECT}/links", items.Links.as_view(), name="project-links"),
    path(f"{_PROJECT}/conflicts", registers.Conflicts.as_view(), name="project-conflicts"),
    path(
        f"{_PROJECT}/conflicts/<external:conflict>/resolve",
        registers.ResolveConflict.as_view(),
        name="project-conflict-resolve",
    ),
    path(f"{_PROJECT}/questions", registers.Questions.as_view(), name="project-questions"),
    path(f"{_PROJECT}/normalise", contexts.Normalise.as_view(), name="project-normalise"),
    path(f"{_PROJECT}/snapshots", contexts.Snapshots.as_view(), name="project-snapshots"),
    path(f"{_PROJECT}/context", contexts.Context.as_view(), name="project-context"),
    path(f"{_PROJECT}/writeback", contexts.Writeback.as_view(), name="project-writeback"),
    path(f"{_PROJECT}/monitor", contexts.Monitor.as_view(), name="project-monitor"),
    path(f"{_PROJECT}/timeline", registers.Timeline.as_view(), name="project-timeline"),
    path(_PROJECT, records.ProjectDetail.as_view(), name="project"),
]
