"""Registers erasers, forget step, export, queue and check of extraction (D-31)."""

from __future__ import annotations

from django.core import checks

from memory.erasure.erasers import DERIVED, TableEraser
from memory.extraction.configuration import check_extraction, count_queue
from memory.extraction.unproven.candidates import export_candidates, hide_candidates, restore_candidates
from memory.extraction.unproven.items import export_items, hide_items, restore_items
from memory.registries import ForgetStep, QueueProbe, erasers, exporters, forget_steps, queue_probes

# A run's answer may speak of any message it read, a sample of any that it names: part erasures take the whole row.
ERASERS = (
    TableEraser(
        name="review_samples",
        models=("memory.ReviewSample",),
        table="review_sample",
        message_arrays=("evidence_message_ids",),
        stage=DERIVED,
    ),
    TableEraser(
        name="candidates",
        models=("memory.FactCandidate",),
        table="fact_candidate",
        message_arrays=("evidence_message_ids",),
        stage=DERIVED,
    ),
    TableEraser(
        name="adaptive_items",
        models=("memory.AdaptiveItem",),
        table="adaptive_item",
        message_arrays=("evidence_message_ids",),
        stage=DERIVED,
    ),
    TableEraser(
        name="extraction_runs",
        models=("memory.ExtractionRun",),
        table="extraction_run",
        message_arrays=("message_ids",),
        stage=DERIVED,
    ),
)


def register_extraction() -> None:
    """Called once at start."""
    for eraser in ERASERS:
        erasers.register(eraser.name, eraser)
    forget_steps.register("candidates", ForgetStep(forget=hide_candidates, restore=restore_candidates))
    forget_steps.register("adaptive_items", ForgetStep(forget=hide_items, restore=restore_items))
    exporters.register("candidates", export_candidates)
    exporters.register("adaptive_items", export_items)
    queue_probes.register("extraction_pending", QueueProbe(count_queue, "messages that extraction has not read yet"))
    checks.register(check_extraction)
