"""Django's entry to the room: what it gives to the registries of `memory` (D-31)."""

from django.apps import AppConfig


class CorrectionsConfig(AppConfig):
    name = "corrections"
    label = "corrections"
    verbose_name = "Corrections"

    def ready(self) -> None:
        from corrections import rebuilding
        from corrections.evaluation.golden import list_broken_replies
        from corrections.promotion.erasing import EvidenceEraser, export_promotions
        from corrections.review.remarks import export_remarks
        from corrections.review.watch import watch_rules
        from corrections.selectors.log import export_corrections  # models exist only now
        from corrections.services.log import import_corrections
        from memory import registries
        from memory.erasure.erasers import TableEraser
        from patterns.rules.examiners import register_examiner

        register_examiner("replies", list_broken_replies)
        registries.erasers.register(
            "corrections",
            TableEraser(
                name="corrections",
                models=("corrections.CorrectionLog",),
                table="memory_correction_log",
                message_columns=("trigger_message_id", "corrected_message_id"),
            ),
        )
        registries.erasers.register(
            "backtest_samples",
            TableEraser(
                name="backtest_samples",
                models=("corrections.BacktestSample",),
                table="corrections_backtest_sample",
                message_columns=("message_id",),
            ),
        )
        registries.erasers.register(
            "review_items",
            # Their verdicts go with them.
            TableEraser(
                name="review_items",
                models=("corrections.ReviewItem", "corrections.ReviewVerdict"),
                table="corrections_review_item",
                message_arrays=("evidence_message_ids",),
            ),
        )
        registries.erasers.register("promotion_evidence", EvidenceEraser())
        registries.exporters.register("promotions", export_promotions)
        registries.exporters.register("corrections", export_corrections)
        registries.comparers.register("corrections", rebuilding.compare_user)
        registries.rebuilders.register("corrections", rebuilding.rebuild_user)
        registries.exporters.register("review_remarks", export_remarks)
        registries.tenant_watchers.register("rules", watch_rules)
        registries.importers.register("correction", import_corrections)
