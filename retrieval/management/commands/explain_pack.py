"""script/manage explain_pack"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.selectors.users import find_conversation_id, get_user
from memory.tenants.command import CodedCommand
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_tenant, get_zone
from retrieval.configuration import get_pipeline
from retrieval.explaining.lines import explain_parts, explain_receipt
from retrieval.explaining.replay import OtherQuestion, list_changes, look_at_pack, replay_pack
from retrieval.pack.budget import INTENT_DEPTHS
from retrieval.receipts.reading import get_receipt
from retrieval.types import ContextQuery

SAID = {True: "yes", False: "no", None: "can't be told, the receipt keeps no hash"}


class Command(CodedCommand):
    help = """Print one query through all stages of retrieval: candidates with the parts of their scores, boosts, spans,
the privacy guard, budget, order. Nothing is written. Ids and scores alone unless --text is given.

With --receipt: what was recorded, and what has changed since. A receipt holds no text; with --query the pack is made
again as of its time and compared.

examples:
  script/manage explain_pack --tenant acme --user customer-42 --query "which size do I wear?"
  script/manage explain_pack --tenant acme --receipt 01934a3e-...
  script/manage explain_pack --tenant acme --receipt 01934a3e-... --query "which size do I wear?"
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--receipt", type=UUID, help="id of a receipt")
        which.add_argument("--user", help="your id of a user")
        parser.add_argument("--query", help="the question")
        parser.add_argument("--conversation", help="your id of the current conversation")
        parser.add_argument("--max-tokens", type=int, help="the size of the pack")
        parser.add_argument("--mood", default="", help="the mood of the conversation")
        parser.add_argument("--intent", default="", choices=INTENT_DEPTHS, help="the intent of the question")
        parser.add_argument("--model", default="", help="the model that replies (its tokenizer and context window)")
        parser.add_argument("--text", action="store_true", help="also show excerpts of messages")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["user"] and not options["query"]:
            raise CommandError("--user needs --query")
        try:
            with tenant_scope(get_tenant(slug=options["tenant"]).id) as scope:
                explain = self.explain_receipt if options["receipt"] else self.explain_query
                explain(scope.tenant_id, options)
        except OtherQuestion:
            raise CommandError("--query is not the question of this receipt") from None

    def explain_query(self, tenant_id: UUID, options: dict[str, Any]) -> None:
        """A question of now."""
        user = get_user(tenant_id=tenant_id, external_id=options["user"])
        conversation = options["conversation"]
        query = ContextQuery(
            user=user,
            text=options["query"],
            conversation_id=find_conversation_id(user=user, external_id=conversation) if conversation else None,
            max_tokens=options["max_tokens"],
            mood=options["mood"],
            intent=options["intent"],
            model=options["model"],
            zone=get_zone(tenant_id=tenant_id),
        )
        parts = look_at_pack(query, now=timezone.now(), pipeline=get_pipeline())
        self.stdout.write("\n".join(explain_parts(parts, has_text=options["text"])))

    def explain_receipt(self, tenant_id: UUID, options: dict[str, Any]) -> None:
        """A question of then."""
        receipt, pipeline = get_receipt(receipt_id=options["receipt"], tenant_id=tenant_id), get_pipeline()
        self.stdout.write("\n".join(explain_receipt(receipt)))
        if not options["query"]:
            changes = list(list_changes(receipt, pipeline=pipeline))
        elif receipt.kind != "context":
            raise CommandError("a search has no pack to replay: leave out --query")
        else:
            replay = replay_pack(receipt, question=options["query"], pipeline=pipeline)
            self.stdout.write("\n".join(["", "replay:", *explain_parts(replay.parts, has_text=options["text"])]))
            self.stdout.write(f"\nsame rendering: {SAID[replay.is_same_rendering]}")
            changes = list(replay.changes)
        self.stdout.write("\n".join(["", "changed since:", *(f"   {change}" for change in changes or ["nothing"])]))
