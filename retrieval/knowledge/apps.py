"""Django's entry to the wing: its tables, and what it gives to the registries of `memory`."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "retrieval.knowledge"
    label = "knowledge"
    verbose_name = "Knowledge"

    def ready(self) -> None:
        from memory import registries
        from retrieval.knowledge.erasing import ASK_TURNS

        registries.erasers.register(ASK_TURNS.name, ASK_TURNS)
