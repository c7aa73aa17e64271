"""Django's entry to the wing: its tables, and what it gives to the registries of `memory`."""

from django.apps import AppConfig


class EpisodesConfig(AppConfig):
    name = "memory.episodes"
    label = "episodes"
    verbose_name = "Episodes"

    def ready(self) -> None:
        from memory.episodes.registration import register_episodes

        register_episodes()
