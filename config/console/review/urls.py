"""Paths of the review console."""

from __future__ import annotations

from django.urls import path

from config.console.review import candidates, cases, numbers, queue, removals, samples

urlpatterns = [
    path("review/queue/", queue.show_queue, name="review"),
    path("review/queue/verdict/", queue.judge_item, name="review_verdict"),
    path("review/queue/undo/", queue.undo_last, name="review_undo"),
    path("review/queue/skip/", queue.skip_shown, name="review_skip"),
    path("review/queue/skipped/", queue.show_skipped, name="review_skipped"),
    path("review/queue/samples/", queue.draw_samples, name="review_samples"),
    path("review/queue/reopen/", queue.reopen_shown, name="review_reopen"),
    path("review/queue/assign/", queue.assign_shown, name="review_assign"),
    path("review/queue/<uuid:item_id>/", queue.show_item, name="review_item"),
    path("review/candidates/", candidates.show_candidates, name="candidates"),
    path(
        "review/candidates/<uuid:user_id>/<uuid:candidate_id>/<str:verb>/",
        candidates.judge_candidate,
        name="judge_candidate",
    ),
    path("review/items/<uuid:user_id>/<uuid:item_id>/dismiss/", candidates.dismiss_adaptive_item, name="dismiss_item"),
    path("review/items/<uuid:user_id>/<uuid:item_id>/part/", candidates.part_adaptive_item, name="part_item"),
    path("review/removals/", removals.show_removals, name="removals"),
    path("review/removals/<uuid:user_id>/<uuid:fact_id>/<str:verb>/", removals.decide_removal, name="decide_removal"),
    path("review/samples/", samples.show_samples, name="review_items"),
    path("review/samples/assign/", samples.assign_items, name="assign_items"),
    path("review/samples/verdicts.jsonl", samples.download_verdicts, name="export_verdicts"),
    path("review/samples/cases/<str:form>/", samples.download_cases, name="export_cases"),
    path("review/samples/<uuid:user_id>/<uuid:item_id>/golden/", samples.write_item_case, name="item_case"),
    path("review/numbers/", numbers.show_numbers, name="review_numbers"),
    path("review/extraction/release/", numbers.release_extraction, name="release_extraction"),
    path("review/quarantine/<uuid:quarantine_id>/release/", numbers.release_quarantine, name="release_quarantine"),
    path("review/corrections/", cases.show_rates, name="correction_rates"),
    path("review/corrections/cases/", cases.show_cases, name="correction_cases"),
    path("review/corrections/golden/", cases.export_cases, name="export_golden"),
    path("review/corrections/<uuid:user_id>/<uuid:correction_id>/", cases.write_case, name="golden_case"),
]
