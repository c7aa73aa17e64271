"""Django's entry to the wing: its tables, and what it gives to the registries of `memory`."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "retrieval.knowledge"
    label = "knowledge"
    verbose_name = "Knowledge"

    def ready(self) -> None:
        from memory import registries
        from retrieval.knowledge.answers.receipts import export_receipts
        from retrieval.knowledge.answers.turns import export_turns
        from retrieval.knowledge.erasing import ANSWER_RECEIPTS, ASK_TURNS

        for eraser in (ASK_TURNS, ANSWER_RECEIPTS):
            registries.erasers.register(eraser.name, eraser)
        registries.exporters.register("ask_turns", export_turns)
        registries.exporters.register("answer_receipts", export_receipts)
