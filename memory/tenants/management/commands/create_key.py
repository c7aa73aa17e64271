"""script/manage create_key"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.tenants.command import CodedCommand
from memory.tenants.errors import KeyExists
from memory.tenants.selectors import get_tenant
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.keys import create_key
from memory.tenants.types import Scope


class Command(CodedCommand):
    help = """Make an API key for a tenant and print it. It is shown this once: the database keeps its hash.

examples:
  script/manage create_key acme --name web --scopes write read facts
  script/manage create_key acme --name nightly-export --scopes export --expires-in-days 90
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant", help="slug of the tenant")
        parser.add_argument("--name", required=True, help="name of the key; one active key per name")
        parser.add_argument(
            "--scopes",
            nargs="+",
            choices=[scope.value for scope in Scope],
            default=[scope.value for scope in Scope],
            help="scopes; default: all",
        )
        parser.add_argument("--expires-in-days", type=int, help="default: never")
        parser.add_argument("--requests-per-minute", type=int, help="rate limit of this key; default: none")
        parser.add_argument(
            "--user-position",
            type=int,
            help="position of the user in the namespace of kept items, from 0; default: none",
        )
        parser.add_argument("--if-missing", action="store_true", help="do nothing if the name has an active key")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        days, limit = options["expires_in_days"], options["requests_per_minute"]
        position = options["user_position"]
        if position is not None and not 0 <= position < 20:
            raise CommandError("--user-position must be 0 to 19.")
        if (days is not None and days < 1) or (limit is not None and limit < 1):
            raise CommandError("--expires-in-days and --requests-per-minute must be at least 1.")
        try:
            key = create_key(
                tenant=get_tenant(slug=options["tenant"]),
                name=options["name"],
                scopes=map(Scope, options["scopes"]),
                actor=SYSTEM,
                now=now,
                expires_at=now + timedelta(days=days) if days is not None else None,
                requests_per_minute=limit,
                user_position=position,
            )
        except KeyExists:
            if not options["if_missing"]:
                raise CommandError(f"An active key '{options['name']}' already exists. Revoke it first.") from None
            self.stdout.write(f"key '{options['name']}' exists")
        else:
            self.stdout.write(key.secret)
