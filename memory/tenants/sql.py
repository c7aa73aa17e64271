"""Migration operations that put a table behind row-level security (SPEC A-1, D-14).

A migration that uses them depends on `("tenants", "0001_roles")`, which grants the privileges of plain tables.
"""

from __future__ import annotations

import re
from typing import Final

from django.db import migrations
from django.db.migrations.operations.base import Operation

APP_ROLE: Final = "unde_app"
WORKER_ROLE: Final = "unde_worker"
SERVICE_ROLES: Final = (APP_ROLE, WORKER_ROLE)

TENANT_POLICY: Final = "tenant_isolation"
OWNER_POLICY: Final = "owner_access"

_ROLES: Final = ", ".join(SERVICE_ROLES)
_IDENTIFIER: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_REQUIRE_ROLES: Final = f"""
DO $$
BEGIN
  IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('{APP_ROLE}', '{WORKER_ROLE}')) < 2 THEN
    RAISE EXCEPTION 'The database roles {APP_ROLE} and {WORKER_ROLE} are missing. Start through script/server, or have '
      'an administrator run: CREATE ROLE {APP_ROLE} LOGIN; CREATE ROLE {WORKER_ROLE} LOGIN;';
  END IF;
END $$;
"""

_GRANT_PLAIN_TABLES: Final = f"""
GRANT USAGE ON SCHEMA public TO {_ROLES};
DO $$
DECLARE
  own record;
BEGIN
  -- Not ALL TABLES: a view of an extension may be in the schema, and it is not ours to grant.
  FOR own IN
    SELECT oid::regclass AS name, relkind FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relowner = current_user::regrole AND relkind IN ('r', 'p', 'S')
  LOOP
    IF own.relkind = 'S' THEN
      EXECUTE format('GRANT USAGE, SELECT ON SEQUENCE %s TO {_ROLES}', own.name);
    ELSE
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE %s TO {_ROLES}', own.name);
    END IF;
  END LOOP;
END $$;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {_ROLES};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {_ROLES};
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {_ROLES};
"""

_REVOKE_PLAIN_TABLES: Final = f"""
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON SEQUENCES FROM {_ROLES};
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM {_ROLES};
"""


def require_roles() -> Operation:
    """Stop the migration with a plain sentence when a service role is missing. Writes nothing."""
    return migrations.RunSQL(_REQUIRE_ROLES, migrations.RunSQL.noop)


def grant_plain_tables() -> Operation:
    """Give the service roles every table made so far and, by default privileges, every table the owner makes later.

    Tables without tenant data (login, sessions, schedules, rules) need nothing else. A table with tenant data adds
    `enable_rls`: the privilege stays, the policy decides which rows it reaches.
    """
    return migrations.RunSQL(_GRANT_PLAIN_TABLES, _REVOKE_PLAIN_TABLES)


def enable_rls(table: str, *, append_only: bool = False) -> list[Operation]:
    """Put `table` (it has a `tenant_id uuid` column) behind forced row-level security (SPEC A-1, D-14).

    The service roles see and write rows of the tenant in `app.tenant_id` alone; without a tenant they see none. The
    role that runs the migration keeps all rows, so that SECURITY DEFINER functions it owns can claim work across
    tenants. `append_only` takes UPDATE away from the service roles.
    """
    name = _checked(table)
    privileges = "SELECT, INSERT, DELETE" if append_only else "SELECT, INSERT, UPDATE, DELETE"
    tenant = "tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid"
    forward = f"""
    ALTER TABLE {name} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE {name} FORCE ROW LEVEL SECURITY;
    CREATE POLICY {TENANT_POLICY} ON {name} TO {_ROLES} USING ({tenant}) WITH CHECK ({tenant});
    CREATE POLICY {OWNER_POLICY} ON {name} TO CURRENT_USER USING (true) WITH CHECK (true);
    REVOKE ALL ON {name} FROM {_ROLES};
    GRANT {privileges} ON {name} TO {_ROLES};
    """
    backward = f"""
    REVOKE ALL ON {name} FROM {_ROLES};
    DROP POLICY {OWNER_POLICY} ON {name};
    DROP POLICY {TENANT_POLICY} ON {name};
    ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE {name} DISABLE ROW LEVEL SECURITY;
    """
    return [require_roles(), migrations.RunSQL(forward, backward)]


def hide_partition(table: str) -> list[Operation]:
    """Take a partition away from the service roles: its rows are reached through the parent, whose policy then holds.

    A policy of the parent does not guard a partition that is named directly, and default privileges would open it.
    A function that makes partitions runs the same REVOKE.
    """
    name = _checked(table)
    return [migrations.RunSQL(f"REVOKE ALL ON {name} FROM {_ROLES};", migrations.RunSQL.noop)]


def restrict_function(signature: str, *, roles: tuple[str, ...]) -> list[Operation]:
    """Let only `roles` run a function, e.g. `restrict_function("claim_tasks(int)", roles=(WORKER_ROLE,))` (D-14).

    PostgreSQL lets everyone run a new function; one that is SECURITY DEFINER must not stay that way.
    """
    allowed = ", ".join(_checked(role) for role in roles)
    forward = f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC; GRANT EXECUTE ON FUNCTION {signature} TO {allowed};"
    return [migrations.RunSQL(forward, migrations.RunSQL.noop)]


def _checked(identifier: str) -> str:
    if not _IDENTIFIER.fullmatch(identifier):
        raise ValueError(f"not a plain lower-case SQL name: {identifier!r}")
    return identifier
