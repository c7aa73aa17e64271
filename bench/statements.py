"""The statements of `POST /v1/messages`, noted down once and sent again by psycopg alone: the floor of writing."""

from __future__ import annotations

import os
import random
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from talk import make_small_talk

ROOT = Path(__file__).resolve().parent.parent
Transaction = list[tuple[str, Any]]
# What a message sends only because it is taken back here: it is inside another transaction.
OUTER = ("SAVEPOINT", "RELEASE", "SELECT set_config")


def list_message_statements(data: Path, *, count: int) -> list[Transaction]:
    """The statements and values of `count` messages, each the second one of a user of its own. Writes the first ones.

    The second message is taken back, so that its statements can be sent again word for word.
    """
    _connect_django(data)
    from django.db import connection, transaction

    from memory.tenants.selectors import list_tenants
    from memory.types import TenantRef

    tenant = next(each for each in list_tenants() if each.slug == "demo")
    source, mark = random.Random(11), uuid.uuid4().hex[:8]
    ref = TenantRef(id=tenant.id, zone=ZoneInfo(tenant.timezone))
    noted: list[Transaction] = []
    for place in range(count):
        user = f"bench-sql-{mark}-{place}"
        _record(ref, user, "hello")
        note = _Notebook()
        with transaction.atomic(), connection.execute_wrapper(note):
            _record(ref, user, make_small_talk(source))
            transaction.set_rollback(True)
        noted.append(note.statements)
    connection.close()
    return noted


class SqlConnection:
    """One connection of psycopg. Call it with a transaction; everything in it is prepared once."""

    def __init__(self, data: Path) -> None:
        import psycopg
        from psycopg.types.string import BytesBinaryDumper

        from config.launch import paths

        class Untyped(BytesBinaryDumper):
            """As the service sends bytes: what they are says the statement, a vector for one."""

            oid = 0

        self._connection = psycopg.connect(paths.database_url("app", data=data), prepare_threshold=0)
        self._connection.adapters.register_dumper(bytes, Untyped)

    @classmethod
    def factory(cls, data: Path) -> Callable[[], SqlConnection]:
        """What makes a connection for each client."""
        return lambda: cls(data)

    def __call__(self, transaction: Transaction) -> bool:
        """Send the statements and commit."""
        with self._connection.transaction():
            for sql, values in transaction:
                cursor = self._connection.execute(sql, values)
                if cursor.description:
                    cursor.fetchall()
        return True


class _Notebook:
    """Notes what the service sends, and sends it."""

    def __init__(self) -> None:
        self.statements: Transaction = []

    def __call__(self, execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(OUTER):
            self.statements.append((sql, values))
        return execute(sql, values, many, context)


def _connect_django(data: Path) -> None:
    sys.path.insert(0, str(ROOT))
    os.environ["UNDE_DATA_DIR"] = str(data)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")
    import django

    django.setup()


def _record(tenant: Any, user: str, text: str) -> None:
    from django.utils import timezone

    from memory.services.drafts import make_draft
    from memory.storing.messages import store_message

    now = timezone.now()
    draft = make_draft(
        user_id=user, conversation_id="c", role="user", content=text, now=now, client_id=uuid.uuid4().hex
    )
    store_message(tenant=tenant, draft=draft, actor="key:bench", now=now)
