"""Descriptions of fields in the OpenAPI document: `Annotated[str, about("Display name.")]`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta


def about(text: str) -> Meta:
    """A field with its description."""
    return Meta(description=text)


def one_of(values: Sequence[str], text: str) -> Meta:
    """A field of an answer that has one of these values, with its description."""
    return Meta(description=text, extra_json_schema={"enum": list(values)})


def refer_to(*structs: type) -> dict[str, Any]:
    """The schema of "one of these structs", which the struct that has such a field lists in `named_in_schema`."""
    references = [{"$ref": f"#/components/schemas/{struct.__name__}"} for struct in structs]
    return references[0] if len(references) == 1 else {"anyOf": references}


class ErrorAnswer(msgspec.Struct, frozen=True):
    """Every error has this form."""

    code: Annotated[str, about("Stable: the same code for the same cause.")]
    message: Annotated[str, about("A sentence for people. It may change.")]
    fields: Annotated[
        dict[str, str], about("What is wrong, by the path of the field: `messages[3].role`. Empty when no field is.")
    ] = {}


Moment = Annotated[datetime, Meta(tz=True)]
MessageId = Annotated[UUID, about("Our id of the message.")]
FactId = Annotated[UUID, about("Our id of the fact.")]
NextCursor = Annotated[str | None, about("Send it as `after` to read the next page. Null on the last page.")]
