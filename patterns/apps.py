"""Django's entry to the room."""

from django.apps import AppConfig


class PatternsConfig(AppConfig):
    name = "patterns"
    label = "patterns"
    verbose_name = "Patterns"
