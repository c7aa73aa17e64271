"""Django's entry to the wing: its tables, and what it gives to the registries of the room."""

from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "memory.imports"
    label = "imports"
    verbose_name = "Imports"

    def ready(self) -> None:
        from memory import registries
        from memory.erasure.erasers import TableEraser
        from memory.imports.requests import export_imports
        from memory.imports.watching import count_late_imports, count_open_imports

        # Parts go with their import. An erasure of messages leaves it alone: what is in the file is held against the
        # tombstone when it is taken, and the file goes then.
        eraser = TableEraser(name="imports", models=("imports.ImportRun", "imports.ImportPart"), table="memory_import")
        registries.erasers.register(eraser.name, eraser)
        registries.exporters.register("imports", export_imports)
        for name, probe in (
            ("imports_pending", registries.QueueProbe(count_open_imports, "imports that are not finished")),
            ("imports_late", registries.QueueProbe(count_late_imports, "imports that should be finished by now")),
        ):
            registries.queue_probes.register(name, probe)
