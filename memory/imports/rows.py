"""Rows of accounts (receipts, corrections) as lines of an export, and back, by the model's own columns (SPEC M-7).

A file may come from anywhere, so each value is held against its column.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import DataError, IntegrityError, models, transaction

from memory.errors import CodedError, InvalidRequest
from memory.types import UserRef

OWNERS: Final = ("tenant_id", "user_id")


def dump_row(row: models.Model, *, left_out: Collection[str] = ()) -> dict[str, Any]:
    """A row's columns as JSON can say them; bytes as hex."""
    return {
        field.attname: _dump(getattr(row, field.attname))
        for field in row._meta.concrete_fields
        if field.attname not in (*OWNERS, *left_out)
    }


def load_row(model: type[models.Model], values: Mapping[str, Any], *, user: UserRef, **known: Any) -> models.Model:
    """An unsaved row of the user from a line, with `known` columns as they are here.

    Raises InvalidRequest naming the column that is missing or not what it holds.
    """
    row: dict[str, Any] = {"tenant_id": user.tenant_id, "user_id": user.id, **known}
    for field in model._meta.concrete_fields:
        name = field.attname
        if name in row:
            continue
        if name not in values:
            if not field.has_default() and not field.null:
                raise InvalidRequest(fields={name: "is required"})
            continue
        try:
            row[name] = _load(field, values[name])
        except (ValueError, TypeError, OverflowError):
            raise InvalidRequest(fields={name: "is invalid for an export"}) from None
    return model(**row)


def insert_rows(
    model: type[models.Model],
    lines: Sequence[Mapping[str, Any]],
    *,
    user: UserRef,
    make: Callable[[Mapping[str, Any]], models.Model],
) -> list[bool | CodedError]:
    """Store rows that are not there yet, each by itself: True for a new one, False for one that was there. Writes."""
    manager: Any = model._default_manager
    named = [line["id"] for line in lines if _is_uuid(line.get("id"))]
    owners = dict(manager.filter(tenant_id=user.tenant_id, id__in=named).values_list("id", "user_id"))
    return [_insert(manager, line, owners, user, make) for line in lines]


def _insert(
    manager: Any,
    line: Mapping[str, Any],
    owners: dict[UUID, UUID],
    user: UserRef,
    make: Callable[[Mapping[str, Any]], models.Model],
) -> bool | CodedError:
    try:
        row = make(line)
        owner = owners.get(row.pk)
        if owner is not None:
            return False if owner == user.id else InvalidRequest(fields={"id": "belongs to another user"})
        with transaction.atomic():
            manager.bulk_create([row])
    except InvalidRequest as error:
        return error
    except (IntegrityError, DataError):
        return InvalidRequest(fields={"line": "names what is not there, or contradicts itself"})
    owners[row.pk] = user.id
    return True


def _dump(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return value


def _is_uuid(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(UUID(value))
    except ValueError:
        return False


def _load(field: models.Field[Any, Any], value: Any) -> Any:
    if value is None:
        if not field.null:
            raise ValueError
        return None
    if isinstance(field, ArrayField):
        if not isinstance(value, list) or len(value) > settings.UNDE_TUNING.IMPORT_MAX_ITEMS:
            raise ValueError
        return [_load(field.base_field, each) for each in value]
    for kind, load in _LOADERS:
        if isinstance(field, kind):
            return load(field, value)
    raise TypeError


def _load_uuid(_: Any, value: Any) -> UUID:
    return UUID(_typed(value, str))


def _load_time(_: Any, value: Any) -> datetime:
    moment = datetime.fromisoformat(_typed(value, str))
    if moment.tzinfo is None or not 1970 <= moment.year <= 9000:
        raise ValueError
    return moment


def _load_bytes(field: Any, value: Any) -> bytes:
    found = bytes.fromhex(_typed(value, str))
    if len(found) > (field.max_length or settings.UNDE_TUNING.IMPORT_MAX_CODE):
        raise ValueError
    return found


def _load_boolean(_: Any, value: Any) -> bool:
    return bool(_typed(value, bool))


def _load_integer(_: Any, value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError
    return int(_typed(value, int))


def _load_float(_: Any, value: Any) -> float:
    if isinstance(value, bool) or not math.isfinite(found := float(_typed(value, int | float))):
        raise ValueError
    return found


def _load_code(field: Any, value: Any) -> str:
    text: str = _typed(value, str)
    if len(text) > (field.max_length or settings.UNDE_TUNING.IMPORT_MAX_CODE) or not text.isprintable():
        raise ValueError
    return text


def _load_json(_: Any, value: Any) -> Any:
    if len(json.dumps(_typed(value, dict))) > settings.UNDE_TUNING.IMPORT_MAX_JSON:
        raise ValueError
    return value


def _typed(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError
    return value


_LOADERS: Final[Sequence[tuple[type[Any], Callable[[Any, Any], Any]]]] = (
    (models.UUIDField, _load_uuid),
    (models.DateTimeField, _load_time),
    (models.BinaryField, _load_bytes),
    (models.BooleanField, _load_boolean),
    (models.IntegerField, _load_integer),
    (models.FloatField, _load_float),
    (models.CharField, _load_code),
    (models.TextField, _load_code),
    (models.JSONField, _load_json),
)
