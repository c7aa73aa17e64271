"""From the text of an answer to operations in form. Pure; whatever a model sends, this neither raises nor runs long.

The JSON schema beside the prompt says the same to endpoints that hold their model to one.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

import msgspec

from memory.extraction.types import Answer, Operation

MAX_OPERATIONS: Final = 40
"""A run reads some sixty messages, a user has some thirty facts: more operations than this are noise."""

_FENCE: Final = re.compile(r"^\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)

Short = Annotated[str, msgspec.Meta(max_length=200)]


class AnswerUnreadable(Exception):
    """The answer is not what was asked for; `code` says how. It never carries a piece of the answer."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class OperationStruct(msgspec.Struct, frozen=True):
    """One operation as the endpoint sends it."""

    operation: Literal["ADD", "UPDATE", "REMOVE", "CONFIRM"]
    knowledge_type: Short
    evidence_message_ids: Annotated[list[Short], msgspec.Meta(max_length=20)]
    subject: Literal["user", "other", "unknown"]
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]
    knowledge_key: Short | None = None
    value: Short | int | None = None
    knowledge_id: Short | None = None


class AnswerStruct(msgspec.Struct, frozen=True):
    """The whole answer; operations are taken one by one, so that one without form costs no other."""

    operations: list[msgspec.Raw]


_answer_decoder: Final = msgspec.json.Decoder(AnswerStruct)
_operation_decoder: Final = msgspec.json.Decoder(OperationStruct)


def read_answer(text: str) -> Answer:
    """The operations of an answer, at most MAX_OPERATIONS of them. Raises AnswerUnreadable.

    A code fence around the object is forgiven, a bare list too; prose is not.
    """
    fenced = _FENCE.match(text)
    raw = (fenced[1] if fenced else text).strip()
    if not raw:
        raise AnswerUnreadable("answer_empty")
    if raw[0] not in "{[":
        raise AnswerUnreadable("answer_prose")
    envelope = f'{{"operations":{raw}}}' if raw[0] == "[" else raw
    try:
        found = _answer_decoder.decode(envelope.encode()).operations
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise AnswerUnreadable("answer_not_json" if not _is_json(envelope) else "answer_without_operations") from None
    read = [_read_operation(one) for one in found[:MAX_OPERATIONS]]
    kept = tuple(operation for operation in read if operation is not None)
    return Answer(kept, malformed=len(read) - len(kept), left_out=max(0, len(found) - MAX_OPERATIONS))


def _read_operation(raw: msgspec.Raw) -> Operation | None:
    try:
        struct = _operation_decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    fields: dict[str, Any] = {name: getattr(struct, name) for name in struct.__struct_fields__}
    fields["evidence_message_ids"] = tuple(dict.fromkeys(struct.evidence_message_ids))
    return Operation(**fields)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text.encode())
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return True
