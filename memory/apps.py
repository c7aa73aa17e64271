"""Django's entry to the room."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    label = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        """Make the erasers of this room known."""
        from memory.erasure.room import register_erasers

        register_erasers()
