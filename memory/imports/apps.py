"""Django's entry to the wing: its tables, and what it gives to the registries of the room."""

from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "memory.imports"
    label = "imports"
    verbose_name = "Imports"

    def ready(self) -> None:
        from memory import registries
        from memory.imports.erasing import ImportEraser
        from memory.imports.requests import export_imports
        from memory.imports.watching import count_late_imports, count_open_imports

        eraser = ImportEraser()
        registries.erasers.register(eraser.name, eraser)
        registries.exporters.register("imports", export_imports)
        for name, probe in (
            ("imports_pending", registries.QueueProbe(count_open_imports, "imports that are not finished")),
            ("imports_late", registries.QueueProbe(count_late_imports, "imports that should be finished by now")),
        ):
            registries.queue_probes.register(name, probe)
