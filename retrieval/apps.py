"""Django's entry to the room: what it gives to the registries of `memory` (D-31)."""

from typing import Any

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "retrieval"
    label = "retrieval"
    verbose_name = "Retrieval"

    def ready(self) -> None:
        from memory import registries  # models exist only now
        from retrieval import checks
        from retrieval.embedding.hashed import HashedEmbedder
        from retrieval.index import comparing, erasing, forgetting
        from retrieval.index.backlog import count_pending_embeddings
        from retrieval.kept.reading import read_documents
        from retrieval.receipts import lines as receipt_lines
        from retrieval.replies.cases import run_answer_cases

        checks.register_checks()
        registries.forget_steps.register(
            "retrieval", registries.ForgetStep(forget=forgetting.forget_messages, restore=forgetting.restore_messages)
        )
        own: list[Any] = [
            erasing.SNIPPETS,
            erasing.VECTORS,
            erasing.TASKS,
            erasing.IndexEraser(),
            erasing.FEEDBACK,
            erasing.FINDINGS,
            erasing.USEFULNESS,
            erasing.SNAPSHOTS,
            erasing.ReceiptEraser(),
        ]
        for eraser in own:
            registries.erasers.register(eraser.name, eraser)
        registries.exporters.register("receipts", receipt_lines.export_receipts)
        registries.importers.register("receipt", receipt_lines.import_receipts)
        registries.comparers.register("message_index", comparing.compare_user)
        registries.rebuilders.register("message_index", forgetting.rebuild_user)
        registries.golden_suites.register("answers", run_answer_cases)
        registries.text_vectors.register("built_in", HashedEmbedder().embed_documents)
        registries.document_readers.register("search", read_documents)
        registries.queue_probes.register(
            "embedding_pending",
            registries.QueueProbe(
                count_pending=count_pending_embeddings, description="messages that wait for a vector"
            ),
        )
