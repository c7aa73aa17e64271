"""What a request carries. An argument that cannot be sent is refused by its name, as the service refuses: BadRequest.

No message repeats what was given: it may be somebody's words.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final
from urllib.parse import quote

import msgspec

from unde_memory.errors import UndeError, make_error

IDEMPOTENCY_HEADER: Final = "Idempotency-Key"
EXTENDED: Final = "UTF-8''"
"""What begins a header that is percent-encoded (RFC 8187): servers drop headers that are not ASCII."""


class UnsetType:
    """The value of an argument that was not given: null is sent, this is not."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final[Any] = UnsetType()
"""Any, so that an argument that may be left out is of the type that it has when given: `limit: int = UNSET`."""


def new_id() -> str:
    """An id for a write that has none: it makes the write safe to send again."""
    return uuid.uuid4().hex


def drop_unset(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was given."""
    return {name: value for name, value in values.items() if value is not UNSET}


def fill(path: str, **names: Any) -> str:
    """A path with ids in it, each one step of it: `fill("/v1/users/{user_id}/facts", user_id="a/b")`."""
    return path.format(**{name: _write_step(name, value) for name, value in names.items()})


def write_query(values: Mapping[str, Any]) -> dict[str, str]:
    """Query parameters: what was given and is not null, as the service reads it."""
    return {name: _write_parameter(name, value) for name, value in drop_unset(values).items() if value is not None}


def write_body(values: Any) -> bytes:
    """What was given, as JSON. Any mapping is an object, any sequence or set a list."""
    if not issubclass(type(values), Mapping):
        return msgspec.json.encode(_simplify("body", values))
    given = {name: _simplify(name, value) for name, value in drop_unset(values).items()}
    return msgspec.json.encode(given)


def write_rows(rows: Sequence[Any]) -> list[Any]:
    """Messages with an id each: what is sent again is stored once."""
    return [{**row, "id": row.get("id") or new_id()} if issubclass(type(row), Mapping) else row for row in rows]


def once(key: str | None) -> dict[str, str]:
    """The header that makes a write safe to send again."""
    if key and not _is_plain(_check_text("idempotency_key", key)):
        raise _refuse("idempotency_key", "must be printable ASCII without spaces around it")
    return {IDEMPOTENCY_HEADER: key or new_id()}


def name_user(user_id: str | None) -> dict[str, str]:
    """The header that says whose kept items are meant."""
    if user_id is None:
        return {}
    text = _check_text("user", user_id)
    is_plain = _is_plain(text) and not text.startswith(EXTENDED)
    return {"X-UNDE-User": text if is_plain else EXTENDED + quote(text, safe="")}


def _refuse(name: str, why: str) -> UndeError:
    message = f"The request is not valid. {name}: {why}."
    return make_error(status=400, code="invalid_request", message=message, fields={name: why})


def _check_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _refuse(name, f"must be text, not {type(value).__name__}")
    if not value:
        raise _refuse(name, "must not be empty")
    return _check_characters(name, value)


def _check_characters(name: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # it would repeat the text
        raise _refuse(name, "must not contain half a character (a lone surrogate)") from None
    return text


def _is_plain(text: str) -> bool:
    """Whether a header can carry it as it is."""
    return text.isascii() and text.isprintable() and text == text.strip()


def _write_step(name: str, value: Any) -> str:
    text = _check_text(name, value)
    return "%2E" * len(text) if text in (".", "..") else quote(text, safe="")  # these two would be steps back


def _write_parameter(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if not isinstance(value, (str, int, float)):
        raise _refuse(name, f"must be text, a number or a time, not {type(value).__name__}")
    return _check_characters(name, str(value))


def _simplify(name: str, value: Any) -> Any:
    """The value in what JSON has. Bytes are refused: as text they would be other words than were meant."""
    try:
        plain = msgspec.to_builtins(value, builtin_types=(bytes, bytearray), str_keys=True, enc_hook=_write_collection)
        json.dumps(plain, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise _refuse(name, "must not contain half a character (a lone surrogate)") from None
    except (TypeError, ValueError, RecursionError):
        raise _refuse(name, "must be what JSON can carry: text, numbers, times, lists and objects") from None
    return plain


def _write_collection(value: Any) -> Any:
    if issubclass(type(value), Mapping):
        return dict(value)
    if issubclass(type(value), (Sequence, Set)) and type(value) is not memoryview:
        return list(value)
    raise TypeError
