"""System checks: what must hold before the service may start, said in plain sentences (D-14, D-15).

`manage.py check` looks at the settings, `manage.py check --database default` at the live database too. The launcher and
`ops/` run both before the web processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Critical, Error, Tags, Warning, register
from django.db import connections
from django.db.utils import Error as DatabaseError

from config.launch.embedded.provision import OLDEST_POSTGRES, OLDEST_VECTOR
from memory.sealing.errors import MasterKeysInvalid
from memory.sealing.keyring import MasterKeyring
from memory.tenants.sql import SERVICE_ROLES

# They hold a tenant's id and no data of its users: read before a tenant is known, or rules shared by all.
TABLES_WITHOUT_POLICIES: Final = frozenset({"staff_membership"})
APPS_WITHOUT_POLICIES: Final = ("patterns_",)

# Values that keep user text out of the server's log; the first is the one to ask for.
SAFE_LOGGING: Final = {
    "log_min_messages": ("log", "fatal", "panic"),
    "log_min_error_statement": ("panic", "fatal", "log"),
    "log_error_verbosity": ("terse",),
    "log_statement": ("none", "ddl"),
    "log_min_duration_statement": ("-1",),
    "log_parameter_max_length_on_error": ("0",),
}

_has_rules = ContextVar("_has_rules", default=True)


@contextmanager
def without_rules() -> Iterator[None]:
    """Leave the stored rules untried: for a start, whose web processes compile them at once and tell what they refuse.

    Compiling takes some four seconds of CPU. What fails stands in the log and in `/readyz?verbose=1` either way.
    """
    token = _has_rules.set(False)
    try:
        yield
    finally:
        _has_rules.reset(token)


@register()
def check_quality_sample(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """The nightly sample of misses and repeats is a share (SPEC Q-3)."""
    if 0 <= settings.UNDE_QUALITY_SAMPLE <= 1:
        return []
    return [Error("UNDE_QUALITY_SAMPLE is a share of the users, from 0 to 1.", id="unde.E009")]


@register(Tags.security)
def check_master_keys(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Facts cannot be sealed without master keys (SPEC F-6)."""
    if not settings.UNDE_MASTER_KEYS and settings.UNDE_ENVIRONMENT != "production":
        return [
            Warning(
                "UNDE_MASTER_KEYS is not set: facts cannot be written or read.",
                hint="script/server and script/manage create it and pass it on.",
                id="unde.W001",
            )
        ]
    try:
        MasterKeyring.parse(settings.UNDE_MASTER_KEYS)
    except MasterKeysInvalid as error:
        return [Critical(error.message, hint="Make one: echo main:$(openssl rand -base64 32)", id="unde.E001")]
    return []


@register(Tags.security)
def check_key_folder(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Keys of users must not lie where a backup of the database takes them along (D-15)."""
    if settings.UNDE_KEY_DATABASE_URL:
        return []
    key_dir = Path(settings.UNDE_KEY_DIR).resolve()
    messages: list[CheckMessage] = []
    for folder in _list_backed_up_folders():
        if key_dir == folder or folder in key_dir.parents:
            messages.append(
                Critical(
                    f"UNDE_KEY_DIR lies inside {folder}, whose copies would hold the keys beside what they open.",
                    hint="Put UNDE_KEY_DIR elsewhere: an erased user's facts must become unreadable in backups.",
                    id="unde.E002",
                )
            )
    if key_dir.exists() and key_dir.stat().st_mode & 0o077:
        messages.append(
            Error("UNDE_KEY_DIR can be entered by other accounts.", hint=f"chmod 700 {key_dir}", id="unde.E003")
        )
    return messages


@register(Tags.security, deploy=True)
def check_production_values(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Values that are convenient on a laptop and wrong elsewhere."""
    if settings.UNDE_ENVIRONMENT != "production":
        return []
    messages: list[CheckMessage] = []
    if settings.SECRET_KEY.startswith("not-secret"):
        messages.append(Critical("UNDE_SECRET_KEY is not set.", hint="openssl rand -base64 48", id="unde.E004"))
    if settings.UNDE_DEV_API_KEY:
        messages.append(
            Error("UNDE_DEV_API_KEY is set in production.", hint="Create keys with create_key.", id="unde.E005")
        )
    return messages


@register(Tags.security)
def check_time_limits(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A request that waits for the user's lock must be told so before its statement is cut off (D-6)."""
    tuning = settings.UNDE_TUNING
    if 0 < tuning.USER_LOCK_TIMEOUT_MS < tuning.STATEMENT_TIMEOUT_MS:
        return []
    return [Error("USER_LOCK_TIMEOUT_MS must be above 0 and below STATEMENT_TIMEOUT_MS.", id="unde.E006")]


@register(Tags.database)
def check_database(app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Whether the live database is one that this service may work on; every problem in one go."""
    messages: list[CheckMessage] = []
    for alias in databases or ():
        for check in (
            find_version_problems,
            find_role_problems,
            find_locale_problems,
            find_extension_problems,
            find_policy_problems,
            find_function_problems,
            find_logging_problems,
            find_rule_problems,
        ):
            messages.extend(_run(check, alias))
    return messages


def find_role_problems(alias: str) -> list[CheckMessage]:
    """The web and worker processes must not be able to see past row-level security (D-14)."""
    if getattr(settings, "UNDE_DB_ROLE", "app") == "owner":
        return []
    role, is_superuser, can_bypass, is_owner = _fetch(
        alias,
        """
        SELECT current_user::text, r.rolsuper, r.rolbypassrls,
               EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                       AND pg_has_role(current_user, c.relowner, 'MEMBER'))
        FROM pg_roles r WHERE r.rolname = current_user
        """,
    )[0]
    faults = [
        name
        for name, is_so in (("superuser", is_superuser), ("BYPASSRLS", can_bypass), ("owner of tables", is_owner))
        if is_so
    ]
    if not faults:
        return []
    return [
        Critical(
            f"The service connects as '{role}', which is {' and '.join(faults)}: policies do not bind it.",
            hint=f"Let DATABASE_URL name the role {SERVICE_ROLES[0]}; migrations use DATABASE_OWNER_URL.",
            id="unde.E010",
        )
    ]


def refuse_unfit_role() -> None:
    """Stop the process when its database role could see past the policies (D-14).

    A database that cannot be asked yet does not stop it: readiness asks again, and says no until it knows.
    """
    try:
        problems = find_role_problems("default")
    except DatabaseError:
        return
    finally:
        connections["default"].close()
        # The worker forks after this; a pool's threads do not survive that.
        connections["default"].close_pool()  # type: ignore[attr-defined]  # PostgreSQL's has one
    if problems:
        raise SystemExit(f"{problems[0].msg} {problems[0].hint}")


def find_locale_problems(alias: str) -> list[CheckMessage]:
    """A database of locale C does not know that Ё and ё are one letter: Russian search breaks silently."""
    if _fetch(alias, "SELECT lower('Ё') = 'ё' AND getdatabaseencoding() = 'UTF8'")[0][0]:
        return []
    return [
        Critical(
            "The database's locale cannot lower-case Cyrillic letters.",
            hint="Make it with LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' ENCODING 'UTF8' TEMPLATE template0.",
            id="unde.E011",
        )
    ]


def find_version_problems(alias: str) -> list[CheckMessage]:
    """The schema uses what came with one version of PostgreSQL."""
    version = int(_fetch(alias, "SELECT current_setting('server_version_num')")[0][0])
    if version >= OLDEST_POSTGRES * 10_000:
        return []
    return [
        Critical(
            f"PostgreSQL {OLDEST_POSTGRES} or newer is needed; this server is {version // 10_000}.{version % 10_000}.",
            hint="Let DATABASE_URL, DATABASE_OWNER_URL and DATABASE_WORKER_URL lead to a newer server.",
            id="unde.E016",
        )
    ]


def find_extension_problems(alias: str) -> list[CheckMessage]:
    """Vectors need pgvector, of a version that knows half precision."""
    found = _fetch(alias, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    oldest = ".".join(map(str, OLDEST_VECTOR))
    if found and tuple(int(part) for part in found[0][0].split(".") if part.isdigit()) >= OLDEST_VECTOR:
        return []
    if found:
        return [
            Critical(
                f"pgvector {oldest} or newer is needed; this database has {found[0][0]}.",
                hint="Install a newer one on the server, then an administrator runs: ALTER EXTENSION vector UPDATE;",
                id="unde.E017",
            )
        ]
    return [
        Critical(
            "The extension 'vector' is not there.",
            hint="An administrator runs in this database: CREATE EXTENSION vector;",
            id="unde.E012",
        )
    ]


def find_policy_problems(alias: str) -> list[CheckMessage]:
    """Every table with a tenant's id is behind forced policies; no partition can be read past its parent's (D-14)."""
    return [
        Critical(
            f"Table '{name}' holds rows of tenants and is open to the service without row-level security.",
            hint="Its migration uses enable_rls; a partition has its privileges revoked.",
            id="unde.E013",
        )
        for (name,) in _fetch(
            alias,
            """
            SELECT c.relname::text FROM pg_class c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
              AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
              AND EXISTS (SELECT FROM pg_attribute a
                          WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
              AND EXISTS (SELECT FROM pg_roles r
                          WHERE r.rolname = ANY (%s) AND has_table_privilege(r.oid, c.oid, 'SELECT'))
              AND c.relname <> ALL (%s) AND NOT c.relname LIKE ANY (%s)
            ORDER BY 1
            """,
            [list(SERVICE_ROLES), list(TABLES_WITHOUT_POLICIES), [f"{app}%" for app in APPS_WITHOUT_POLICIES]],
        )
    ]


def find_function_problems(alias: str) -> list[CheckMessage]:
    """A function with its owner's rights is for named roles and finds its tables by a fixed path (D-14)."""
    return [
        Critical(
            f"Function '{name}' runs as its owner and "
            + ("may be run by everyone." if is_open else "has no fixed search path."),
            hint="Its migration uses restrict_function, its definition SET search_path.",
            id="unde.E015",
        )
        for name, is_open in _fetch(
            alias,
            """
            SELECT p.proname::text, has_function_privilege('public', p.oid, 'EXECUTE')
            FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND p.prorettype <> 'trigger'::regtype
              AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
              AND (has_function_privilege('public', p.oid, 'EXECUTE')
                   OR NOT coalesce(array_to_string(p.proconfig, ' '), '') LIKE '%%search_path=%%')
            ORDER BY 1
            """,
            [],
        )
    ]


def find_logging_problems(alias: str) -> list[CheckMessage]:
    """The server's own log must not quote statements, rows or values (D-16)."""
    wrong = [
        f"{name} = {safe[0]}"
        for name, safe in SAFE_LOGGING.items()
        if _fetch(alias, "SELECT current_setting(%s)", [name])[0][0] not in safe
    ]
    if not wrong:
        return []
    return [
        Warning(
            "The database server may write text of users to its log.",
            hint=f"An administrator sets for the server or with ALTER ROLE: {', '.join(wrong)}.",
            id="unde.W014",
        )
    ]


def find_rule_problems(alias: str) -> list[CheckMessage]:
    """The stored rules must pass their own examples, else processes start on the shipped pack (SPEC I-2)."""
    from patterns.registry import RuleSetRefused, build_rule_set, describe_absent_lists
    from patterns.rules.pack import PackError
    from patterns.selectors import find_version, get_stored_pack, list_absent_lists

    is_reader = getattr(settings, "UNDE_DB_ROLE", "app") != "owner"  # who migrates reads no message
    if alias != "default" or not is_reader or not _has_rules.get():
        return []
    try:
        version = find_version()
        if version is None:
            return []
        build_rule_set(get_stored_pack(tenant_id=None), version=version)
        absent = list_absent_lists()
    except DatabaseError:
        # Before a migration the tables are not there, or are those of an older version: `migrate` runs this check too.
        return []
    except (PackError, RuleSetRefused) as error:
        return [
            # A warning: the service starts, so that the console is there to mend it.
            Warning(
                f"The stored rules cannot be activated: {error}",
                hint="New processes use the shipped pack. Roll back to an earlier version in the console.",
                id="unde.W020",
            )
        ]
    if not absent:
        return []
    return [
        Warning(
            f"The stored rules are older than the code: {describe_absent_lists(absent)}.",
            hint="Run manage.py load_packs. Changes by staff are kept.",
            id="unde.W021",
        )
    ]


def _run(check: Callable[[str], list[CheckMessage]], alias: str) -> list[CheckMessage]:
    try:
        return check(alias)
    except DatabaseError:
        return [Error(f"{check.__name__}: the database cannot be asked.", id="unde.E019")]


def _fetch(alias: str, statement: str, parameters: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _list_backed_up_folders() -> list[Path]:
    """The embedded cluster, and the folders that the operator names as those of dumps."""
    data_dir = Path(settings.UNDE_DATA_DIR)
    named = [Path(folder) for folder in getattr(settings, "UNDE_BACKUP_DIRS", ())]
    return [folder.resolve() for folder in (data_dir / "pg", data_dir / "backups", *named)]
