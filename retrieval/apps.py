"""Django's entry to the room."""

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "retrieval"
    label = "retrieval"
    verbose_name = "Retrieval"
