"""Django's entry to the wing: its table, and what it gives to the registries of the room."""

from django.apps import AppConfig


class KeptConfig(AppConfig):
    name = "memory.kept"
    label = "kept"
    verbose_name = "Kept items"

    def ready(self) -> None:
        from memory.erasure.erasers import TableEraser
        from memory.kept.lines import export_items, import_items
        from memory.registries import erasers, exporters, importers

        # No message stands behind an item: an erasure of messages leaves the table alone.
        eraser = TableEraser(name="kept_items", models=("kept.KeptItem",), table="kept_item")
        erasers.register(eraser.name, eraser)
        exporters.register("kept_items", export_items)
        importers.register("kept_item", import_items)
