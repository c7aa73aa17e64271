#!/usr/bin/env python3
"""Django's command line. `script/manage` runs it in the project's own environment with the servers up."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")
    from config.command_line import run_command

    run_command(sys.argv)


if __name__ == "__main__":
    main()
