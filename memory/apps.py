"""Django's entry to the room."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    label = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        """Make the erasers, the work lists and the checks of this room known."""
        from memory.erasure.checks import register_checks
        from memory.erasure.queue import count_overdue_erasures, count_pending_erasures
        from memory.erasure.room import register_erasers
        from memory.extraction.registration import register_extraction
        from memory.registries import ForgetStep, QueueProbe, exporters, forget_steps, queue_probes
        from memory.services.answered_requests import export_answers, hide_answers, restore_answers

        register_checks()
        register_erasers()
        register_extraction()
        forget_steps.register("answered_requests", ForgetStep(forget=hide_answers, restore=restore_answers))
        exporters.register("answered_requests", export_answers)
        for name, probe in (
            ("erasure_pending", QueueProbe(count_pending_erasures, "erasures that are not completed")),
            ("erasure_overdue", QueueProbe(count_overdue_erasures, "erasures whose deadline has passed")),
        ):
            queue_probes.register(name, probe)
