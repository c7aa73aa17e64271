"""What both clients share: how a request looks, which answers are tried again and when, what an answer means. Pure."""

from __future__ import annotations

import os
import random
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec

from unde_memory.errors import UndeError, UnexpectedAnswer, make_error
from unde_memory.types import ChatEvent, ChatReply

VERSION: Final = "0.1.0"
DEFAULT_URL: Final = "http://127.0.0.1:8000"
DEFAULT_TIMEOUT: Final = 30.0
DEFAULT_RETRIES: Final = 3
TRIED_AGAIN: Final = frozenset({429, 502, 503, 504})
FIRST_PAUSE: Final = 0.25
LONGEST_PAUSE: Final = 30.0
STREAM_TRIES: Final = 4
IDEMPOTENCY_HEADER: Final = "Idempotency-Key"

F = TypeVar("F", bound=Callable[..., Any])


class UnsetType:
    """The value of a parameter that was not given: null is sent, this is not."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = UnsetType()


class ErrorBody(msgspec.Struct):
    """The form of every error of the service."""

    code: str
    message: str
    fields: dict[str, str] = {}


def find_settings(url: str | None, key: str | None) -> tuple[str, str]:
    """Address and key, from the environment (`UNDE_URL`, `UNDE_API_KEY`) where they are not given."""
    address = (url or os.environ.get("UNDE_URL") or DEFAULT_URL).rstrip("/").removesuffix("/v1")
    secret = key or os.environ.get("UNDE_API_KEY") or ""
    if not secret:
        raise ValueError("Give the API key as api_key, or set UNDE_API_KEY.")
    return address, secret


def make_headers(key: str) -> dict[str, str]:
    """The headers of every request."""
    return {"Authorization": f"Bearer {key}", "User-Agent": f"unde-memory-python/{VERSION}"}


def fill(path: str, **names: str) -> str:
    """A path with ids in it: `fill("/v1/users/{user_id}/facts", user_id="a/b")`."""
    return path.format(**{name: quote(value, safe="") for name, value in names.items()})


def drop_unset(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was given."""
    return {name: value for name, value in values.items() if value is not UNSET}


def write_body(values: Mapping[str, Any]) -> bytes:
    """What was given, as JSON. Raises BadRequest, without the words, for half a character: no UTF-8 can carry it."""
    try:
        return msgspec.json.encode(drop_unset(values))
    except UnicodeEncodeError:
        message = "Text must not contain half a character (a lone surrogate)."
        raise make_error(status=400, code="invalid_request", message=message) from None


def write_query(values: Mapping[str, Any]) -> dict[str, Any]:
    """Query parameters: what was given and is not null, as the service reads it."""
    given = {name: value for name, value in values.items() if value is not UNSET and value is not None}
    return {name: _write(value) for name, value in given.items()}


def operation(name: str) -> Callable[[F], F]:
    """Marks a method with the call of the service that it makes: `POST /v1/messages`."""

    def mark(method: F) -> F:
        vars(method)["operation"] = name
        return method

    return mark


def once(key: str | None) -> dict[str, str]:
    """The header that makes a write safe to send again."""
    return {IDEMPOTENCY_HEADER: key or new_id()}


def new_id() -> str:
    """An id for a write that has none: it makes the write safe to send again."""
    return uuid.uuid4().hex


def find_pause(attempt: int, retry_after: str | None) -> float:
    """Seconds until the next try: as the service asks, else doubling, never all callers at once."""
    try:
        asked = float(retry_after) if retry_after else 0.0
    except ValueError:
        asked = 0.0
    pause = max(asked, FIRST_PAUSE * float(2**attempt) * random.uniform(0.5, 1.0))
    return min(pause, LONGEST_PAUSE)


def read_error(status: int, content: bytes, retry_after: str | None) -> UndeError:
    """The exception for an answer of 400 and above."""
    try:
        body = msgspec.json.decode(content, type=ErrorBody)
    except msgspec.DecodeError:
        return UnexpectedAnswer(f"The service answered {status} without a code.", status=status)
    pause = find_pause(0, retry_after) if retry_after else None
    return make_error(status=status, code=body.code, message=body.message, fields=body.fields, retry_after=pause)


def read_answer(content: bytes, kind: Any) -> Any:
    """The answer as its type; None where it has no body."""
    if kind is None or not content:
        return None
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError as error:
        raise UnexpectedAnswer(f"The answer does not fit: {error}") from None


def _write(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else value


class EventReader:
    """Server-sent events out of lines: each event is a name, an id (empty without one) and its data."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def read_line(self, line: str) -> tuple[str, str, bytes] | None:
        """The event that this line ends, if it ends one."""
        if line:
            name, _, value = line.partition(":")
            if name:
                self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        return fields.get("event", "message"), fields.get("id", ""), fields["data"].encode()


def read_chat_event(name: str, data: bytes) -> ChatEvent:
    """An event of a reply. Raises the coded error that an `error` event is."""
    if name == "error":
        raise read_error(503, data, None)
    if name == "reply":
        return ChatEvent(kind=name, reply=read_answer(data, ChatReply))
    found: dict[str, Any] = msgspec.json.decode(data)
    return ChatEvent(
        kind=name,
        text=found.get("text", ""),
        offset=found.get("offset", 0),
        message_id=found.get("message_id", ""),
        receipt_id=found.get("receipt_id"),
    )
