"""Django's entry to the wiring."""

from importlib import import_module

from django.apps import AppConfig


class WiringConfig(AppConfig):
    name = "config"
    label = "config"
    verbose_name = "Wiring"

    def ready(self) -> None:
        """Make the checks, the path converters and the extensions of the API document known, by importing them."""
        import_module("config.checks")
        import_module("config.opendsr.checks")
        import_module("config.api.converters")
        import_module("config.api.schema")
