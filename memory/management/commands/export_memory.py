"""script/manage export_memory"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.errors import CodedError
from memory.selectors.users import get_user
from memory.services.exports import export_user
from memory.tenants.database_errors import coded_database_errors
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_tenant
from patterns.management.command import DescribedCommand


class Command(DescribedCommand):
    help = """Export one user's memory as JSON Lines: the same lines as GET /v1/users/{user_id}/export.
Without a file they go to standard output. A file appears under its name when it is whole, with mode 0600.
What is held in memory is a page, however much the user has said. import_memory takes the file.

examples:
  script/manage export_memory --tenant acme --user customer-42 export.jsonl
  script/manage export_memory --tenant acme --user customer-42 | gzip > export.jsonl.gz
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--user", required=True, help="your id of the user")
        parser.add_argument("file", type=Path, nargs="?", help="output file; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with coded_database_errors():
                tenant = get_tenant(slug=options["tenant"])
                with tenant_scope(tenant.id):
                    user = get_user(tenant_id=tenant.id, external_id=options["user"])
                count = write_lines(export_user(user=user, now=timezone.now()), options["file"])
        except KeyboardInterrupt:
            raise CommandError("Interrupted. No file was written.", returncode=130) from None
        except BrokenPipeError:
            # The reader of the pipe has closed it; the interpreter must not fail on it again at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise CommandError("The reader of the output has ended.") from None
        except OSError as error:
            raise CommandError(f"{options['file'] or 'The output'} cannot be written: {error.strerror}.") from None
        except CodedError as error:
            raise CommandError(f"{error.code}: {error.message}") from None
        self.stderr.write(f"{count} lines" + (f" in {options['file']}" if options["file"] else ""))


def write_lines(lines: Iterable[bytes], file: Path | None) -> int:
    """Write lines to standard output or to a file, which is put in place when all are there. How many."""
    if file is None:
        count = _write(lines, sys.stdout.fileno())
        sys.stdout.flush()
        return count
    half = file.with_name(f".{file.name}.{os.getpid()}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        count = _write(lines, handle)
        os.fsync(handle)
        half.replace(file)
    finally:
        os.close(handle)
        half.unlink(missing_ok=True)
    return count


def _write(lines: Iterable[bytes], handle: int) -> int:
    count = 0
    with os.fdopen(os.dup(handle), "wb") as output:
        for line in lines:
            output.write(line)
            count += 1
    return count
