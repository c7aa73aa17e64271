"""script/manage export_corpus"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.errors import CodedError
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_tenant
from patterns.management.command import DescribedCommand
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.services.rebuilding import list_items, write_line


class Command(DescribedCommand):
    help = """Write the documents and records of a corpus as JSON Lines, as they came; import_corpus reads the file.
With --schema its schema goes to a file of its own. What is derived is left out: an import makes it anew.

examples:
  script/manage export_corpus --tenant acme --corpus films films.jsonl --schema films.schema.json
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--corpus", required=True, help="the tenant's own id of the corpus")
        parser.add_argument("--schema", type=Path, help="a file for the schema")
        parser.add_argument("path", type=Path, help="the file to write")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = get_tenant(slug=options["tenant"])
            with tenant_scope(tenant.id):
                schema = get_corpus(tenant_id=tenant.id, external_id=options["corpus"]).schema
            count = 0
            with options["path"].open("w", encoding="utf-8") as file:
                for page in list_items(tenant_id=tenant.id, corpus=options["corpus"]):
                    file.writelines(f"{write_line(item)}\n" for item in page)
                    count += len(page)
            if options["schema"]:
                options["schema"].write_text(json.dumps(schema, ensure_ascii=False, indent=2), encoding="utf-8")
        except OSError:
            raise CommandError("The file can't be written.") from None
        except CodedError as error:
            raise CommandError(f"{error.code}: {error.message}") from None
        self.stdout.write(f"{count} items written")
