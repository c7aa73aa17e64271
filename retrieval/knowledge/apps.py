"""Django's entry to the wing: its tables, and what it gives to the registries of `memory` and to the policy."""

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
        from retrieval.knowledge.search.passages import list_deciding
        from retrieval.pack.policy import policy_parts

        for eraser in (ASK_TURNS, ANSWER_RECEIPTS):
            registries.erasers.register(eraser.name, eraser)
        registries.rewritten_models.update(dict.fromkeys(_list_models_of_corpora(), "documents are deleted for good"))
        registries.exporters.register("ask_turns", export_turns)
        registries.exporters.register("answer_receipts", export_receipts)
        policy_parts.register("knowledge", list_deciding)


def _list_models_of_corpora() -> list[str]:
    """Tables with words of corpora, and what is derived from them."""
    from retrieval.knowledge.models import Corpus, InCorpus

    return [model._meta.label for model in (Corpus, *InCorpus.__subclasses__())]
