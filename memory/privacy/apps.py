"""Django's entry to the wing: its tables, and what it gives to the registries of `memory`."""

from django.apps import AppConfig


class PrivacyConfig(AppConfig):
    name = "memory.privacy"
    label = "privacy"
    verbose_name = "Privacy requests"

    def ready(self) -> None:
        from memory import registries
        from memory.privacy.selectors import count_open_requests, export_requests

        registries.kept_models["privacy.PrivacyRequest"] = "holds ids, codes and times; what was asked and done"
        registries.exporters.register("privacy_requests", export_requests)
        registries.queue_probes.register(
            "privacy_requests", registries.QueueProbe(count_open_requests, "requests of privacy desks that are open")
        )
