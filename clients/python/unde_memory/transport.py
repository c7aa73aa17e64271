"""What both clients share: where the service is, which answers are tried again and when, what an answer means. Pure."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec

from unde_memory.errors import UndeError, UnexpectedAnswer, make_error

VERSION: Final = "0.1.0"
DEFAULT_URL: Final = "http://127.0.0.1:8000"
DEFAULT_TIMEOUT: Final = 30.0
DEFAULT_RETRIES: Final = 3
TRIED_AGAIN: Final = frozenset({429, 502, 503, 504})
FIRST_PAUSE: Final = 0.25
LONGEST_PAUSE: Final = 30.0
STREAM_TRIES: Final = 4

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class ErrorBody(msgspec.Struct):
    """The form of every error of the service."""

    code: str
    message: str
    fields: dict[str, str] = {}


def find_settings(url: str | None, key: str | None) -> tuple[str, str]:
    """Address and key, from the environment (`UNDE_URL`, `UNDE_API_KEY`) where they are not given.

    Raises ValueError for what is none; neither is repeated, for both may be secret.
    """
    address = (url or os.environ.get("UNDE_URL") or DEFAULT_URL).strip().rstrip("/").removesuffix("/v1")
    if not _is_address(address):
        raise ValueError("url must be like http://127.0.0.1:8000 or https://memory.example.")
    secret: Any = key or os.environ.get("UNDE_API_KEY") or ""
    if not secret:
        raise ValueError("Give the API key as api_key, or set UNDE_API_KEY.")
    if not isinstance(secret, str) or not re.fullmatch(r"[!-~]+", secret := secret.strip()):
        raise ValueError("api_key must be one word of printable ASCII.")
    return address, str(secret)


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises for what is no number
    except ValueError:
        return False
    is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and address.isprintable()
    return is_whole and " " not in address and "?" not in address and "#" not in address


def make_headers(key: str) -> dict[str, str]:
    """The headers of every request."""
    return {"Authorization": f"Bearer {key}", "User-Agent": f"unde-memory-python/{VERSION}"}


def operation(name: str) -> Callable[[F], F]:
    """Marks a method with the call of the service that it makes: `POST /v1/messages`."""

    def mark(method: F) -> F:
        vars(method)["operation"] = name
        return method

    return mark


def find_pause(attempt: int, retry_after: str | None) -> float:
    """Seconds until the next try: as the service asks, else doubling, never all callers at once."""
    try:
        asked = float(retry_after) if retry_after else 0.0
    except ValueError:
        asked = 0.0
    own = FIRST_PAUSE * float(2 ** min(attempt, 10)) * random.uniform(0.5, 1.0)
    pause = max(own, asked)  # in this order, so that NaN is passed over
    return min(pause, LONGEST_PAUSE)


def read_error(status: int, content: bytes, retry_after: str | None) -> UndeError:
    """The exception for an answer of 400 and above."""
    try:
        body = msgspec.json.decode(content, type=ErrorBody)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return UnexpectedAnswer(f"The service answered {status} without a code.", status=status)
    pause = find_pause(0, retry_after) if retry_after else None
    return make_error(status=status, code=body.code, message=body.message, fields=body.fields, retry_after=pause)


def read_answer(content: bytes, kind: Any) -> Any:
    """The answer as its type; None where that is asked for. Raises UnexpectedAnswer for what is not of this service."""
    try:
        found = msgspec.json.decode(content or b"null", type=Any if kind is None else kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnexpectedAnswer(f"The answer does not fit: {error}") from None
    return None if kind is None else found


class LineReader:
    """Lines out of the pieces of a stream. Only a line feed ends one: a message may hold all else that ends lines."""

    def __init__(self) -> None:
        self.rest = b""
        """What no line feed ended."""

    def read(self, piece: bytes) -> list[bytes]:
        """The lines that this piece ends."""
        *lines, self.rest = (self.rest + piece).split(b"\n")
        return [line.removesuffix(b"\r") for line in lines]


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


def read_event(name: str, data: bytes, kind: type[T]) -> T:
    """An event of a stream as its kind, which has a field for all of the answer. Raises what an `error` event says."""
    if name == "error":
        raise read_error(503, data, None)
    found = {name: msgspec.Raw(data)} if name in ("reply", "answer") else read_answer(data, dict[str, msgspec.Raw])
    event: T = read_answer(msgspec.json.encode({**found, "kind": name}), kind)
    return event
