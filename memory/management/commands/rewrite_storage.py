"""script/manage rewrite_storage"""

from __future__ import annotations

from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.erasure.table_files import list_rewritten, rewrite_storage
from patterns.management.command import DescribedCommand


class Command(DescribedCommand):
    help = """Write the tables of users and corpora anew, so that no file holds bytes of what was erased or deleted, and
let old files of the write-ahead log go (D-30). Each table is locked while its turn lasts: run it in a quiet hour. As
the owner it rewrites tables; a superuser (UNDE_MAINTENANCE_DATABASE_URL) also clears the log. verify_erasure then signs
the second stage.

examples:
  script/manage rewrite_storage
  script/manage rewrite_storage --table memory_message --table message_index
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--table", action="append", choices=list_rewritten(), help="one table; can be repeated")
        parser.add_argument("--database-url", help="instead of UNDE_MAINTENANCE_DATABASE_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        url = options["database_url"] or settings.UNDE_MAINTENANCE_DATABASE_URL
        try:
            with psycopg.connect(url, autocommit=True, application_name="unde-rewrite") as maintenance:
                report = rewrite_storage(
                    maintenance=maintenance, relations=options["table"] or list_rewritten(), now=timezone.now()
                )
        except psycopg.errors.LockNotAvailable:
            raise CommandError("A table was in use for more than ten seconds. Try again in a quieter hour.") from None
        except psycopg.OperationalError:
            raise CommandError("The maintenance database role cannot connect, or the connection was lost.") from None
        except psycopg.errors.InsufficientPrivilege:
            raise CommandError("The role may not rewrite these tables: use the owner or a superuser.") from None
        for relation, kept in report.relations.items():
            said = "rewritten" if kept == 0 else f"rewritten; {kept if kept is not None else 'unknown'} old rows kept"
            self.stdout.write(f"{relation}: {said}")
        for remark in report.remarks:
            self.stdout.write(remark)
        self.stdout.write(f"write-ahead log kept from: {report.wal_kept_from or 'not checked'}")
