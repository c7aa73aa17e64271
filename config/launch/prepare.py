"""Brings a database up to this version of the code, as a child process of the launcher: `migrate` or `fill`.

One process for several commands, since each would otherwise load Django again.
"""

import os
import sys


def migrate() -> None:
    """Apply the migrations; runs as the owner of the tables."""
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=1)


def fill() -> None:
    """Check the settings and the live database, load the shipped rules, destroy keys that came back, make the demo
    tenant when embedded, collect static files; runs as the service itself. Safe to repeat.
    """
    from django.core.management import call_command

    from config.checks import without_rules

    is_embedded = os.environ.get("UNDE_ENVIRONMENT") == "embedded"
    with without_rules():
        call_command("check", databases=["default"], deploy=not is_embedded)
    call_command("load_packs")
    # Keys of erased users that came back with a copy of the key store go again before anybody is served (D-15).
    call_command("restore_check", keys_only=True)
    if is_embedded:
        call_command("ensure_demo")
    call_command("collectstatic", interactive=False, verbosity=0)


def main() -> int:
    """Run the one named on the command line; what a command objects to is printed as its own sentence."""
    import django
    from django.core.management.base import CommandError

    django.setup()
    try:
        {"migrate": migrate, "fill": fill}[sys.argv[1]]()
    except CommandError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
