"""What all commands of the service have in common: their help is printed as it is written, examples on lines,
and a file that cannot be opened is said in a sentence."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class DescribedCommand(BaseCommand):
    """A command whose `help` keeps its lines."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """See Django's BaseCommand."""
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """See Django's BaseCommand. A file that is not there or not ours is named, without a traceback."""
        try:
            return super().execute(*args, **options)
        except (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError) as error:
            if error.filename is None:
                raise
            raise CommandError(f"{error.filename}: {error.strerror}") from error
