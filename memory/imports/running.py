"""An import, whatever its format: from bytes to what was stored (SPEC M-7)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings

from memory.errors import CodedError, InvalidRequest
from memory.imports.foreign import READERS, list_rows
from memory.imports.own import collect_lines, import_export
from memory.imports.reading import BadLine, find_bad_text, read_document, read_rows
from memory.imports.types import FORMATS, ForeignMessage, ImportOutcome
from memory.ingest.types import TenantRef
from memory.services.drafts import MAX_ID_CHARACTERS, make_draft
from memory.services.messages import record_messages
from memory.types import Draft


def import_memory(
    *, tenant: TenantRef, user_external_id: str, data: bytes, file_format: str, actor: str, now: datetime
) -> ImportOutcome:
    """Import one user's memory. Repeating it stores nothing twice. Writes.

    Our own export is taken whole or not at all; of other formats each message is taken by itself. Raises
    InvalidRequest for an unknown format and what `import_export` raises.
    """
    if file_format not in FORMATS:
        raise InvalidRequest(fields={"format": f"must be one of {', '.join(FORMATS)}"})
    outcome = ImportOutcome()
    if file_format == "unde":
        export = collect_lines(read_rows(data.split(b"\n")), outcome)
        if export.messages or export.actions:
            import_export(tenant=tenant, user_external_id=user_external_id, export=export, now=now, outcome=outcome)
        return outcome
    drafts = _list_drafts(data, file_format, user_external_id, now, outcome)
    for chunk in _split(drafts, settings.UNDE_TUNING.MAX_BATCH_MESSAGES):
        _record(tenant, chunk, actor, now, outcome)
    return outcome


def _list_drafts(
    data: bytes, file_format: str, user_external_id: str, now: datetime, outcome: ImportOutcome
) -> list[tuple[int, Draft]]:
    """All messages of the file in the order in which they were said, so that facts follow each other as they did."""
    drafts: list[tuple[int, Draft]] = []
    for number, row in _list_objects(data, file_format):
        try:
            if isinstance(row, InvalidRequest):
                raise row
            drafts.extend((number, _make_draft(each, user_external_id, now)) for each in READERS[file_format](row))
        except CodedError as error:
            outcome.add_error(number, error)
    return sorted(drafts, key=lambda each: each[1].created_at)


def _list_objects(data: bytes, file_format: str) -> Iterator[tuple[int, dict[str, Any] | InvalidRequest]]:
    document = None if file_format == "jsonl" and not data.lstrip().startswith(b"[") else read_document(data)
    if document is None:
        yield from read_rows(data.split(b"\n"))
        return
    for number, row in enumerate(list_rows(document), start=1):
        yield number, (find_bad_text(row) or row) if isinstance(row, dict) else BadLine()


def _make_draft(message: ForeignMessage, user_external_id: str, now: datetime) -> Draft:
    return make_draft(
        user_id=user_external_id,
        conversation_id=message.conversation[:MAX_ID_CHARACTERS],
        role=message.role,
        content=message.content,
        now=now,
        created_at=message.said_at,
        client_id=_make_client_id(message),
        speaker=message.speaker[:MAX_ID_CHARACTERS],
        metadata=message.metadata,
    )


def _make_client_id(message: ForeignMessage) -> str:
    """The other system's id, or one made of what was said and when: the same file again names the same messages."""
    if message.client_id and len(message.client_id) <= MAX_ID_CHARACTERS:
        return message.client_id
    said = "\x1f".join((message.role, message.said_at.isoformat(), message.client_id or "", message.content))
    return f"import:{hashlib.sha256(said.encode()).hexdigest()[:40]}"


def _record(
    tenant: TenantRef, chunk: Sequence[tuple[int, Draft]], actor: str, now: datetime, outcome: ImportOutcome
) -> None:
    answers = record_messages(tenant=tenant, drafts=[draft for _, draft in chunk], actor=actor, now=now)
    for (number, _), answer in zip(chunk, answers, strict=True):
        if isinstance(answer, CodedError):
            outcome.add_error(number, answer)
        elif answer.is_new:
            outcome.messages += 1
            outcome.facts += len(answer.changes)
        else:
            outcome.repeated += 1


def _split(drafts: Sequence[tuple[int, Draft]], size: int) -> Iterable[Sequence[tuple[int, Draft]]]:
    return (drafts[start : start + size] for start in range(0, len(drafts), size))
