"""Whether the service lives, whether it is ready and if not why, and its figures (API.md)."""

from __future__ import annotations

import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import django
import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string

from config.api.rendering import encode
from config.checks import find_role_problems
from config.launch.states import ProcessState, read_states
from config.observability.metrics import CONTENT_TYPE, render_metrics
from config.observability.queues import count_queues
from memory.database.statements import execute, fetch_row
from memory.disks import describe_shortage
from memory.sealing.keystore import get_key_store
from memory.tenants.types import INSTALLATION_ID
from patterns.registry import get_rule_set_status

logger = structlog.get_logger(__name__)

_migrations_are_done = False
_role_is_fit = False


def answer_alive(request: HttpRequest) -> HttpResponse:
    """GET /healthz: this process answers. Touches nothing else, so that a slow database restarts no web process."""
    return _json({"status": "ok"})


def answer_ready(request: HttpRequest) -> HttpResponse:
    """GET /readyz: 200 when a request would succeed, 503 and why not. `?verbose=1` adds queues and versions.

    With 200 the reasons are warnings.
    """
    services = {name: check() for name, check in SERVICES.items()}
    reasons = [f"{name}: {reason}" for name, reason in services.items() if reason]
    is_ready = not any(reason and name not in SOFT_SERVICES for name, reason in services.items())
    answer: dict[str, Any] = {"status": "ready" if is_ready else "not_ready", "reasons": reasons}
    if request.GET.get("verbose", "") in {"1", "true"}:
        answer["services"] = {name: reason or "ok" for name, reason in services.items()}
        answer["versions"] = _list_versions()
        answer["features"] = {name: import_string(path)() for name, path in settings.FEATURE_PROBES.items()}
        answer["queues"] = {} if services["database"] else count_queues()
        answer["processes"] = {name: describe_process(state) for name, state in _read_processes().items()}
    return _json(answer, status=200 if is_ready else 503)


def answer_metrics(request: HttpRequest) -> HttpResponse:
    """GET /metrics: Prometheus text of all processes."""
    return HttpResponse(render_metrics(), content_type=CONTENT_TYPE)


def _check_database() -> str | None:
    try:
        execute("SELECT 1")
    except Exception as error:
        return _explain("readiness_database", error, "cannot be reached")
    return None


def _check_migrations() -> str | None:
    global _migrations_are_done
    if _migrations_are_done:
        return None
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Exception as error:
        return _explain("readiness_migrations", error, "cannot be read")
    _migrations_are_done = not waiting
    return f"{len(waiting)} to apply" if waiting else None


def _check_role() -> str | None:
    global _role_is_fit
    if _role_is_fit:
        return None
    try:
        problems = find_role_problems(connection.alias)
    except Exception as error:
        return _explain("readiness_role", error, "cannot be read")
    _role_is_fit = not problems
    return problems[0].msg if problems else None


def _check_keys() -> str | None:
    try:
        get_key_store().get(INSTALLATION_ID)
    except Exception as error:
        return _explain("readiness_keys", error, "the key store cannot be read")
    return None


def _check_cache() -> str | None:
    try:
        cache.get("readiness")
    except Exception as error:
        return _explain("readiness_cache", error, "cannot be reached: rate limits are off and workers wait for beat")
    return None


def _check_rules() -> str | None:
    try:
        return get_rule_set_status().problem
    except Exception as error:
        return _explain("readiness_rules", error, "cannot be read")


def _check_processes() -> str | None:
    looping = {name: state for name, state in _read_processes().items() if state.is_crash_loop}
    if not looping:
        return None
    return "; ".join(
        f"{name} has ended {state.quick_deaths} times in a row (code {state.code})" for name, state in looping.items()
    )


def _read_processes() -> dict[str, ProcessState]:
    return read_states(Path(settings.UNDE_DATA_DIR))


def describe_process(state: ProcessState) -> dict[str, Any]:
    """One process of the launcher for `?verbose=1`: is it up, its restarts, and when it is tried again."""
    next_try = None if state.next_try_at is None else datetime.fromtimestamp(state.next_try_at, UTC).isoformat()
    return {"up": state.is_up, "restarts": state.restarts, "last_code": state.code, "next_try_at": next_try}


SERVICES: Final[dict[str, Callable[[], str | None]]] = {
    "database": _check_database,
    "role": _check_role,
    "migrations": _check_migrations,
    "keys": _check_keys,
    "cache": _check_cache,
    "rules": _check_rules,
    "processes": _check_processes,
    "storage": describe_shortage,
}
# Without these the service still answers, only less well (SPEC M-2).
SOFT_SERVICES: Final = frozenset({"cache", "rules", "processes", "storage"})


def _list_versions() -> dict[str, str | None]:
    versions: dict[str, str | None] = {
        "unde": settings.UNDE_VERSION,
        "python": platform.python_version(),
        "django": django.get_version(),
    }
    try:
        versions["postgresql"], versions["vector"] = fetch_row(
            "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        )
    except Exception as error:
        logger.warning("versions_failed", exc_info=error)
    for path in getattr(settings, "VERSION_PROBES", ()):
        try:
            versions.update({name: str(version) for name, version in import_string(path)().items()})
        except Exception as error:
            logger.warning("version_probe_failed", probe=path, exc_info=error)
    return versions


def _explain(event: str, error: Exception, reason: str) -> str:
    # The reason is a sentence of ours: an exception's text may quote an address or a value.
    logger.warning(event, exc_info=error)
    return reason


def _json(value: object, *, status: int = 200) -> HttpResponse:
    return HttpResponse(encode(value), status=status, content_type="application/json")
