"""Django's entry to the wing: its table, and what it gives to the registries of the room."""

from django.apps import AppConfig


class VisitsConfig(AppConfig):
    name = "memory.visits"
    label = "visits"
    verbose_name = "Visits"

    def ready(self) -> None:
        from memory.erasure.erasers import TableEraser
        from memory.registries import erasers, exporters, importers
        from memory.visits.lines import export_pause, export_visits, import_pause, import_visits

        # A visit holds no words of a message: an erasure of messages leaves the table alone.
        eraser = TableEraser(name="visits", models=("visits.Visit",), table="visit")
        erasers.register(eraser.name, eraser)
        exporters.register("visits", export_visits)
        importers.register("visit", import_visits)
        # The pause is a column of the user, which the user's own eraser deletes.
        exporters.register("pause", export_pause)
        importers.register("pause", import_pause)
