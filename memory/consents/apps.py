"""Django's entry to the wing: its tables, and what it gives to the registries of the room."""

from django.apps import AppConfig


class ConsentsConfig(AppConfig):
    name = "memory.consents"
    label = "consents"
    verbose_name = "Consents"

    def ready(self) -> None:
        from memory.consents.importing import import_consents
        from memory.consents.selectors import export_consents
        from memory.erasure.erasers import TableEraser
        from memory.registries import erasers, exporters, importers

        # A consent holds no words and speaks of no message: an erasure of messages leaves it, for it says what holds.
        eraser = TableEraser(name="consents", models=("consents.Consent",), table="consent")
        erasers.register(eraser.name, eraser)
        exporters.register("consents", export_consents)
        importers.register("consent", import_consents)
