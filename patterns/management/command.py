"""What all commands of the service have in common: their help is printed as it is written, examples on lines."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandParser


class DescribedCommand(BaseCommand):
    """A command whose `help` keeps its lines."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """See Django's BaseCommand."""
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)
