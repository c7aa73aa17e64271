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
    """Load the shipped rules, make the demo tenant when embedded, collect static files. Safe to repeat."""
    from django.core.management import call_command

    call_command("load_packs")
    if os.environ.get("UNDE_ENVIRONMENT") == "embedded":
        call_command("ensure_demo")
    call_command("collectstatic", interactive=False, verbosity=0)


def main() -> None:
    import django

    django.setup()
    {"migrate": migrate, "fill": fill}[sys.argv[1]]()


if __name__ == "__main__":
    main()
