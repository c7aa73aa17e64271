"""Requests in: bytes and query strings into typed, checked structs, with errors that name the field (SPEC A-1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar, get_type_hints

import msgspec
from django.conf import settings
from django.http import HttpRequest, QueryDict, UnreadablePostError
from msgspec import Meta
from rest_framework.request import Request

from config.api.errors import BodyTooLarge, InvalidJson, InvalidUtf8, NulByte
from config.api.reasons import BAD_TIME, explain
from memory.errors import InvalidRequest

MEBIBYTE: Final = 1024 * 1024
SINGLE_BODY_LIMIT: Final = 1 * MEBIBYTE
BATCH_BODY_LIMIT: Final = 8 * MEBIBYTE

ExternalId = Annotated[str, Meta(min_length=1, max_length=128, description="The tenant's own id, 1-128 characters.")]
Instant = Annotated[datetime, Meta(tz=True, description="ISO 8601 with offset.")]

T = TypeVar("T")

_AT: Final = re.compile(r" - at `(?:key in )?\$\.?(?P<path>[^`]*)`$")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<name>.*)`$", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(?P<name>.*)`$", re.DOTALL)
_NUMBER: Final = re.compile(r"[-+]?[0-9.]+")
_NUL: Final = "\x00"
NO_FIELD: Final = "is not a field of this request"
YEARS: Final = range(2, 9999)
"""Of a moment. The ends of the calendar do not exist in every time zone, so who reads them later breaks off."""
_MAY_BE_AN_END: Final = re.compile(rb"0001-|9999-|\\u003")  # the last: digits that are written as escapes


class RequestBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of everything a caller may send: a field that is not declared is refused, never ignored."""


class PageQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Paging of a list: `next` of a page is `after` of the following one."""

    after: Annotated[str, Meta(max_length=1000, description="`next` of the page before.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=settings.UNDE_TUNING.MAX_PAGE, description="How many at most.")] = 50


def read_body(request: HttpRequest | Request, body_type: type[T], *, limit: int = SINGLE_BODY_LIMIT) -> T:
    """The request's JSON body as `body_type`.

    Raises BodyTooLarge beyond `limit` bytes, InvalidUtf8, InvalidJson, NulByte naming the field, and InvalidRequest
    with `fields` for what does not fit the type.
    """
    return decode_json(read_bytes(request, limit=limit), body_type)


def read_bytes(request: HttpRequest | Request, *, limit: int) -> bytes:
    """The body. Raises BodyTooLarge, without reading it where its length is announced."""
    declared = request.META.get("CONTENT_LENGTH") or ""
    if declared.isdigit() and int(declared) > limit:
        raise BodyTooLarge(f"The request body is over {limit // MEBIBYTE} MiB.")
    # Without a length Django reads nothing; a chunked body is there all the same.
    is_chunked = not declared and request.headers.get("Transfer-Encoding")
    stream = request.META["wsgi.input"] if is_chunked else request
    try:
        data: bytes = stream.read(limit + 1)
    except (UnreadablePostError, OSError):
        raise InvalidRequest("The request body is incomplete.") from None
    if len(data) > limit:
        raise BodyTooLarge(f"The request body is over {limit // MEBIBYTE} MiB.")
    return data


def decode_json(data: bytes | memoryview | msgspec.Raw, body_type: type[T]) -> T:
    """JSON bytes as `body_type`. Raises as `read_body` does; also for one item of a batch kept as `msgspec.Raw`."""
    is_item = isinstance(data, msgspec.Raw)  # of a body whose UTF-8 has been looked at
    data = bytes(data)
    try:
        if not is_item:
            data.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidUtf8 from None
    try:
        value: T = _make_decoder(body_type).decode(data)  # type: ignore[arg-type]
    except msgspec.ValidationError as error:
        raise to_invalid_request(error, body_type) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidJson from None
    # Only then can a decoded string hold one; walking every body would cost more than decoding it.
    if b"\\u0000" in data:
        refuse_nul(value)
    if _MAY_BE_AN_END.search(data):
        refuse_ends_of_time(value)
    return value


def convert_body(values: Mapping[str, Any], body_type: type[T], *, at: str) -> T:
    """A part of a body, decoded already, as `body_type`; `at` is its path there. Raises InvalidRequest."""
    try:
        return msgspec.convert(values, body_type)
    except msgspec.ValidationError as error:
        wrong = to_invalid_request(error, body_type)
        raise InvalidRequest(fields={f"{at}.{name}": reason for name, reason in wrong.fields.items()}) from None


@lru_cache(maxsize=256)
def _make_decoder(body_type: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(body_type)


def read_query(query: QueryDict, query_type: type[T]) -> T:
    """Query parameters as a struct: one value a parameter, several for a list field. Raises InvalidRequest, NulByte."""
    lists, times = _fields_of(query_type, "list"), _fields_of(query_type, "datetime")  # type: ignore[arg-type]
    values: dict[str, Any] = {name: query.getlist(name) if name in lists else query[name] for name in query}
    for name in times & values.keys():
        # "+04:00" that was not escaped arrives as " 04:00"; nothing else can be meant by it.
        values[name] = values[name].replace(" ", "+")
        if _NUMBER.fullmatch(values[name]):
            # The lenient conversion below would take a number for seconds since 1970.
            raise InvalidRequest(fields={name: explain(BAD_TIME, body_type=query_type, path=name)})
    refuse_nul(values)
    try:
        found = msgspec.convert(values, query_type, strict=False)
    except msgspec.ValidationError as error:
        raise to_invalid_request(error, query_type) from None
    if times:
        refuse_ends_of_time(found)
    return found


def refuse_nul(value: object) -> None:
    """Raise NulByte naming the first field that holds a NUL. Raw items of a batch are left to their own turn."""
    for path in _list_paths(value, "", _has_nul):
        raise NulByte(fields={path or "body": "must not contain the NUL character"})


def refuse_ends_of_time(value: object) -> None:
    """Raise InvalidRequest naming the first moment that is not within `YEARS`."""
    for path in _list_paths(value, "", _is_end_of_time):
        raise InvalidRequest(fields={path: f"must lie between the years {YEARS[0]} and {YEARS[-1]}"})


def to_invalid_request(error: msgspec.ValidationError, body_type: Any) -> InvalidRequest:
    """The coded error for a value that does not fit its type; `fields` names it by path, e.g. `messages[0].role`."""
    text = str(error)
    found = _AT.search(text)
    path, reason = (found["path"], text[: found.start()]) if found else ("", text)
    if unknown := _UNKNOWN.match(reason):
        path, reason = _join(path, unknown["name"]), NO_FIELD
    elif missing := _MISSING.match(reason):
        path, reason = _join(path, missing["name"]), "is required"
    else:
        reason = explain(reason, body_type=body_type, path=path)
    return InvalidRequest(fields={path or "body": reason})


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _has_nul(value: object) -> bool:
    return isinstance(value, str) and _NUL in value


def _is_end_of_time(value: object) -> bool:
    return isinstance(value, datetime) and value.year not in YEARS


def _list_paths(value: object, path: str, is_wrong: Callable[[object], bool]) -> Iterator[str]:
    """Where in a value something wrong stands, keys of objects among it."""
    if is_wrong(value):
        yield path
    elif isinstance(value, msgspec.Struct):
        for name, attribute in zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True):
            yield from _list_paths(getattr(value, attribute), _join(path, name), is_wrong)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            name = _join(path, str(key).replace(_NUL, ""))
            if is_wrong(key):
                yield name
            yield from _list_paths(item, name, is_wrong)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _list_paths(item, f"{path}[{index}]", is_wrong)


@lru_cache(maxsize=256)
def _fields_of(query_type: Hashable, kind: str) -> frozenset[str]:
    hints = get_type_hints(query_type)
    return frozenset(name for name, hint in hints.items() if kind in str(hint))
