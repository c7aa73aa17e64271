"""script/manage create_staff"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.tenants.command import CodedCommand
from memory.tenants.password_file import write_password_file
from memory.tenants.selectors import get_tenant
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.staff import create_staff_user, grant_role, reset_password
from memory.tenants.types import Role


class Command(CodedCommand):
    help = """Make a staff user for the console, or give an existing one another role.

A new user's one-time password is printed once and written to a file that only this account can read.

examples:
  script/manage create_staff leila --role reviewer --tenant acme
  script/manage create_staff root --role operator
  script/manage create_staff leila --role reviewer --tenant acme --reset-password
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", required=True, choices=[role.value for role in Role])
        parser.add_argument("--tenant", help="slug; leave it out for an operator of the installation")
        parser.add_argument("--superuser", action="store_true", help="access to every page of the console")
        parser.add_argument("--reset-password", action="store_true", help="create create a new one-time password")

    def handle(self, *args: Any, **options: Any) -> None:
        username, role = options["username"], Role(options["role"])
        tenant = get_tenant(slug=options["tenant"]) if options["tenant"] else None
        if tenant is None and role is not Role.OPERATOR:
            raise CommandError(f"--role {role.value} needs --tenant.")
        user, password = create_staff_user(username=username, is_superuser=options["superuser"])
        is_new_role = grant_role(user=user, role=role, tenant=tenant, actor=SYSTEM, now=timezone.now())
        if password is None and options["reset_password"]:
            password = reset_password(user=user)
        where = f"in '{tenant.slug}'" if tenant else "of the installation"
        self.stdout.write(f"{username}: {role.value} {where}" + ("" if is_new_role else ", as before"))
        if password is not None:
            path = write_password_file(username=username, password=password)
            self.stdout.write(f"password: {password}\npassword_file={path}")
