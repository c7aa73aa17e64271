"""script/manage migrate: Django's, which first says so when an earlier version has to come before this one."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from config.upgrades import find_half_way


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        half_way = find_half_way(connections[options["database"]])
        if half_way:
            raise CommandError(
                f"This database has only a part of {', '.join(half_way)}. Start the last version that has the rest"
                " first, then this one: docs/backup.md, 'Upgrade', says which."
            )
        super().handle(*args, **options)
