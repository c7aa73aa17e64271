"""JSON logs that cannot carry user text: ids and codes pass, sentences from elsewhere do not (SPEC G-6, D-16)."""

from __future__ import annotations

import logging
import logging.config
import re
import sys
import traceback
import warnings
from collections.abc import Mapping, MutableMapping
from contextlib import nullcontext, suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec
import structlog
from structlog.contextvars import get_contextvars
from structlog.stdlib import ProcessorFormatter

_ROOT: Final = str(Path(__file__).resolve().parent.parent.parent) + "/"
_WITHHELD: Final = "<withheld>"
# Ids, codes, routes, addresses, versions: printable ASCII without a space. A sentence is none of these.
_TOKEN: Final = re.compile(r"[!-~]{0,200}")
_PLAIN: Final = (bool, int, float, Decimal, UUID, date, type(None))
# Libraries whose messages name hosts, queues and schedules. Of all others the message is logged without the texts in
# it: Django puts paths (a user's id) there, Celery the text of an exception.
_TRUSTED: Final = (
    "celery.apps",
    "celery.beat",
    "celery.worker.consumer",
    "psycopg.pool",
    "granian",
    "_granian",
    "unde",
)
# Our own rooms, where they log without structlog. Their templates are literals (ruff's G004 sees to it).
_ROOMS: Final = ("config.", "corrections.", "memory.", "patterns.", "retrieval.")
_PHRASES: Final = frozenset(status.phrase for status in HTTPStatus)
_TASK_NAMES: Final = frozenset({"id", "name"})
_OWN_KEYS: Final = frozenset({"event", "level", "logger", "timestamp", "exception", "frames"})
_MAX_FRAMES: Final = 25

EventDict = MutableMapping[str, Any]


def configure_logging(config: Mapping[str, Any]) -> None:
    """Send all logging of the process to stderr, one JSON object a line. `config` is settings.LOGGING: its level."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(make_formatter())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(config.get("level", "INFO"))
    for name in ("django", "django.server", "django.request", "celery"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    # One line a request is written by RequestContextMiddleware; Django's own repeats it with the path.
    logging.getLogger("django.request").setLevel(logging.ERROR)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared_processors(),
            ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )

    warnings.showwarning = log_warning


def make_formatter() -> logging.Formatter:
    """A formatter that writes a record of any library as one JSON object.

    The web server is told to use it by `config/launch/web_logs.json`.
    """
    return ProcessorFormatter(
        use_get_message=False,
        pass_foreign_args=True,
        foreign_pre_chain=[withhold_foreign_values, *_shared_processors()],
        processors=[
            ProcessorFormatter.remove_processors_meta,
            summarise_exception,
            withhold_text,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )


def log_warning(message: object, category: type, filename: str, lineno: int, *_: object, **__: object) -> None:
    """Python's own warnings as lines of the log: of which kind and where, since their words come from elsewhere."""
    where = f"{filename.removeprefix(_ROOT)}:{lineno}"
    structlog.get_logger("unde.warnings").warning("python_warning", kind=category.__name__, where=where)


def log_request(logger_name: str, **fields: Any) -> None:
    """The access line: the same fields and the same net as any other, without the machinery of loggers around it.

    Written for every request, it would otherwise cost a twentieth of a message's time.
    """
    if not logging.getLogger(logger_name).isEnabledFor(logging.INFO):
        return
    line = {key: _withhold(value) for key, value in {**get_contextvars(), **fields}.items()}
    line |= {"event": "request", "level": "info", "logger": logger_name, "timestamp": datetime.now(UTC)}
    text = msgspec.json.encode(line).decode()
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler) and isinstance(handler.formatter, ProcessorFormatter):
            # A full disk must not take answers along with the log; what could not be written follows later.
            with handler.lock or nullcontext(), suppress(OSError):
                handler.stream.write(text + handler.terminator)
                handler.flush()


def withhold_foreign_values(logger: Any, method: str, event: EventDict) -> EventDict:
    """Log a library's message without the texts in it, unless the library is known to be harmless.

    Numbers, ids, types of errors and names of tasks stay in it. A line of a room of ours keeps those of its values
    and extras that are ids, codes and numbers.
    """
    record: logging.LogRecord = event["_record"]
    values = event.pop("positional_args", ())
    if record.name.startswith(_TRUSTED):
        event["event"] = event["event"] % values if values else event["event"]
        return event
    if record.name.startswith(_ROOMS):
        parts = {key: _withhold(each) for key, each in values.items()} if isinstance(values, Mapping) else None
        event["event"] = event["event"] % (parts or tuple(map(_withhold, values))) if values else event["event"]
        return _add_extras(logger, method, event)
    if not values and not _TOKEN.fullmatch(event["event"]):
        # It may have been put together before it came here, so it is no safer than its values.
        event["event"] = _WITHHELD
    elif values:
        event["event"] = _render_foreign(event["event"], values)
    event["where"] = f"{record.module}:{record.lineno}"
    if isinstance(values, Mapping):
        event.update({f"task_{key}": values[key] for key in ("id", "name", "runtime") if key in values})
    return event


class _Withheld:
    """Stands in a rendered message for a value that is not written, however it is asked for."""

    def __str__(self) -> str:
        return _WITHHELD

    __repr__ = __str__


def _render_foreign(template: str, values: Any) -> str:
    """The message with what cannot be anybody's words; the template where it asks for a number that is none."""
    if isinstance(values, Mapping):
        kept: Any = {key: _show_foreign(each, is_name=key in _TASK_NAMES) for key, each in values.items()}
    else:
        kept = tuple(map(_show_foreign, values))
    try:
        return str(template % kept)
    except (TypeError, ValueError, KeyError):
        return template


def _show_foreign(value: Any, *, is_name: bool = False) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, BaseException | type):
        return (value if isinstance(value, type) else type(value)).__name__
    if isinstance(value, str) and (value in _PHRASES or (is_name and _TOKEN.fullmatch(value))):
        return value
    return _Withheld()


_add_extras: Final = structlog.stdlib.ExtraAdder()


def summarise_exception(logger: Any, method: str, event: EventDict) -> EventDict:
    """Replace a traceback by the exception's type, its code if it is one of ours, and the places it passed through."""
    info = event.pop("exc_info", None)
    event.pop("stack_info", None)
    event.pop("stack", None)
    if info is True:
        info = sys.exc_info()
    error = info if isinstance(info, BaseException) else info[1] if isinstance(info, tuple) else None
    if error is not None:
        event["exception"] = list_causes(error)
        event["frames"] = list_frames(error)
    return event


def withhold_text(logger: Any, method: str, event: EventDict) -> EventDict:
    """The net under everything: a value that is not a number, a time, an id or a short token is not written."""
    for key, value in event.items():
        if key not in _OWN_KEYS:
            event[key] = _withhold(value)
    return event


def list_causes(error: BaseException) -> list[str]:
    """Type names from the error to its first cause; `Type:code` for coded errors and SQLSTATEs. No messages."""
    names: list[str] = []
    current: BaseException | None = error
    while current is not None and len(names) < 10:
        code = getattr(current, "code", None) or getattr(current, "sqlstate", None)
        name = f"{type(current).__module__}.{type(current).__qualname__}"
        names.append(f"{name}:{code}" if isinstance(code, str) and _TOKEN.fullmatch(code) else name)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return names


def list_frames(error: BaseException) -> list[str]:
    """`file:line function` of the traceback, outermost first, without source lines or values."""
    frames = traceback.extract_tb(error.__traceback__)[-_MAX_FRAMES:]
    return [f"{frame.filename.removeprefix(_ROOT)}:{frame.lineno} {frame.name}" for frame in frames]


def _shared_processors() -> list[Any]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _withhold(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return str(value) if isinstance(value, UUID | Decimal | date) else value
    if isinstance(value, str):
        return value if _TOKEN.fullmatch(value) else _WITHHELD
    if isinstance(value, list | tuple | set | frozenset):
        return [_withhold(item) for item in list(value)[:50]]
    if isinstance(value, Mapping):
        return {str(_withhold(str(key))): _withhold(item) for key, item in list(value.items())[:50]}
    return f"<{type(value).__name__}>"
