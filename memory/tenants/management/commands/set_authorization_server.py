"""script/manage set_authorization_server"""

from __future__ import annotations

from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.tenants.command import CodedCommand
from memory.tenants.selectors import get_tenant
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.tenants import change_settings, read_settings
from memory.tenants.types import AuthorizationServer, Scope


class Command(CodedCommand):
    help = (
        "Let tokens of an authorization server open /mcp/oauth/{tenant}, or close the door again with --remove.\n\n"
        "examples:\n"
        "  script/manage set_authorization_server acme --issuer https://login.acme.example"
        " --resource https://memory.acme.example/mcp/oauth/acme\n"
        "  script/manage set_authorization_server acme --remove"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant", help="slug of the tenant")
        parser.add_argument("--issuer", help="the issuer, as in the tokens")
        parser.add_argument("--resource", help="public URL of the door, such as https://memory.example/mcp/oauth/acme")
        parser.add_argument("--audience", help="value of `aud` in the tokens; default: the resource")
        parser.add_argument("--jwks-url", help="where the keys are; default: as the issuer's metadata says")
        parser.add_argument("--user-claim", help="claim that names the user; default: sub")
        parser.add_argument("--algorithms", nargs="+", help="accepted signatures; default: RS256 ES256")
        parser.add_argument("--required-scope", help="scope that a token must have; default: none")
        parser.add_argument("--scopes", nargs="+", choices=[scope.value for scope in Scope], help="rights of a token")
        parser.add_argument("--requests-per-minute", type=int, help="rate limit of a client; default: 120")
        parser.add_argument("--remove", action="store_true", help="accept no tokens any more")

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = {name: options[name] for name in AuthorizationServer.__struct_fields__ if options.get(name)}
        try:
            tenant = get_tenant(slug=options["tenant"])
            server = None if options["remove"] else msgspec.convert(wanted, AuthorizationServer)
            settings = msgspec.structs.replace(read_settings(tenant), authorization_server=server)
            change_settings(tenant=tenant, settings=settings, actor=SYSTEM, now=timezone.now())
        except msgspec.ValidationError as error:
            raise CommandError(f"The settings are not valid: {error}") from None
        self.stdout.write("removed" if server is None else f"tokens of {server.issuer} open {server.resource}")
