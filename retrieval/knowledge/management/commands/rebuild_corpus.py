"""script/manage rebuild_corpus"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.errors import CodedError
from memory.tenants.database_errors import coded_database_errors
from memory.tenants.selectors import get_tenant
from patterns.management.command import DescribedCommand
from retrieval.knowledge.services.rebuilding import rebuild_corpus


class Command(DescribedCommand):
    help = """Derive the chunks, names, mentions and edges of a corpus anew from its documents and records,
500 of them a transaction. What a person decided about names stays. Says which kinds of rows were not as they should be.

examples:
  script/manage rebuild_corpus --tenant acme --corpus films
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--corpus", required=True, help="the tenant's own id of the corpus")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = get_tenant(slug=options["tenant"])
            with coded_database_errors():
                changed = rebuild_corpus(tenant_id=tenant.id, corpus=options["corpus"], now=timezone.now())
        except CodedError as error:
            raise CommandError(f"{error.code}: {error.message}") from None
        state = f"not as they should be: {', '.join(changed)}" if changed else "all was as it should be"
        self.stdout.write(f"rebuilt; {state}")
