"""Django's command line, with a plain sentence where there is no installation to work on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from django.core.management import execute_from_command_line
from django.db import DatabaseError, OperationalError, connection

NO_INSTALLATION: Final = (
    "There is no installation here yet: the database has no tables. script/server makes them (script/manage migrate"
    " too). If your installation is elsewhere, UNDE_DATA_DIR names its folder and DATABASE_URL its database."
)
NO_DATABASE: Final = "The database cannot be reached. Is PostgreSQL up, and does DATABASE_URL lead there?"


def run_command(arguments: Sequence[str]) -> None:
    """Run a command of `manage.py`. Where it fails, and the database is away or has no tables, a sentence says so."""
    try:
        execute_from_command_line(list(arguments))
    except DatabaseError as error:
        # An error that a server answers has a code; one of the way to it has none.
        if isinstance(error, OperationalError) and getattr(error.__cause__, "sqlstate", None) is None:
            sys.exit(NO_DATABASE)
        connection.close()  # what failed may have left its transaction open
        if not is_without_tables():
            raise
        sys.exit(NO_INSTALLATION)
    except SystemExit as end:
        if end.code == 1 and is_without_tables():
            sys.stderr.write(f"{NO_INSTALLATION}\n")
        raise


def is_without_tables() -> bool:
    """Whether nothing has ever been installed in the database of the settings; not where it can't be asked."""
    try:
        return not connection.introspection.table_names()
    except DatabaseError:
        return False
