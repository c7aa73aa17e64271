"""Commands that speak of tenants: what the service refuses ends them with one line, as a wrong option does."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from memory.errors import CodedError
from patterns.management.command import DescribedCommand


class CodedCommand(DescribedCommand):
    """A command that ends with the message of a coded error that nobody caught."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """See Django's BaseCommand."""
        try:
            return super().execute(*args, **options)
        except CodedError as error:
            raise CommandError(error.message) from None
