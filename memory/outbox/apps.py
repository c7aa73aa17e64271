"""Django's entry to the wing: its tables, and what it gives to the registries of `memory`."""

from django.apps import AppConfig


class OutboxConfig(AppConfig):
    name = "memory.outbox"
    label = "outbox"
    verbose_name = "Events"

    def ready(self) -> None:
        from memory import registries
        from memory.outbox.selectors import count_waiting_deliveries, export_events

        registries.exporters.register("events", export_events)
        registries.queue_probes.register(
            "webhook_deliveries", registries.QueueProbe(count_waiting_deliveries, "events that wait to be delivered")
        )
