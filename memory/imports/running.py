"""An import, whatever its format: from bytes to what was stored (SPEC M-7)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from io import BytesIO
from itertools import islice
from typing import BinaryIO, TypeAlias

from django.conf import settings

from memory.errors import CodedError, InvalidRequest
from memory.imports.foreign import READERS, list_rows
from memory.imports.own import import_export, import_export_in_pieces
from memory.imports.reading import BadLine, Row, find_bad_text, read_document, read_row, read_rows
from memory.imports.types import FORMATS, ForeignMessage, ImportOutcome, Progress, ignore_progress
from memory.outbox.services.events import record_event
from memory.selectors.users import find_user
from memory.services.drafts import make_draft
from memory.storing.messages import store_messages
from memory.tenants.scope import tenant_scope
from memory.types import TOLD_BY, Draft, TenantRef

Numbered: TypeAlias = tuple[int, Draft]
"""A message with the number of the line that it is from."""


class DocumentTooLarge(InvalidRequest):
    """One JSON document that is too large to be read whole."""

    code = "document_too_large"
    default_message = "A single JSON document may have at most 256 MiB. Write one object per line instead."


def import_memory(
    *,
    tenant: TenantRef,
    user_external_id: str,
    data: bytes,
    file_format: str,
    actor: str,
    now: datetime,
    report: Progress = ignore_progress,
) -> ImportOutcome:
    """Import one user's memory from what is in memory. Repeating it stores nothing twice. Writes.

    Our own export is taken whole or not at all; of other formats each message is taken by itself. `report` follows an
    export of our own. Raises InvalidRequest for an unknown format and what `import_export` raises.
    """
    check_format(file_format)
    outcome = ImportOutcome()
    if file_format == "unde":
        rows = read_rows(BytesIO(data))
        import_export(
            tenant=tenant, user_external_id=user_external_id, rows=rows, now=now, outcome=outcome, report=report
        )
    else:
        drafts = list_drafts(data, file_format, user_external_id=user_external_id, now=now, outcome=outcome)
        for piece in split(drafts):
            store_piece(tenant, piece, actor=actor, now=now, outcome=outcome)
    tell_end(tenant, user_external_id, outcome)
    return outcome


def list_drafts(
    data: bytes, file_format: str, *, user_external_id: str, now: datetime, outcome: ImportOutcome
) -> list[Numbered]:
    """The messages of another product's file, in the order in which they were said, so that facts follow each other as
    they did. Lines that are refused are noted in the outcome. The same bytes and moment give the same list. Reads only.
    """
    drafts = _list_drafts(_list_objects(data, file_format), file_format, user_external_id, now, outcome)
    return sorted(drafts, key=lambda each: each[1].created_at)


def import_file(
    *,
    tenant: TenantRef,
    user_external_id: str,
    source: BinaryIO,
    file_format: str,
    now: datetime,
    report: Callable[[int | None], None],
) -> ImportOutcome:
    """Import one user's memory from a file of any size, a few hundred lines at a time. Writes.

    What was interrupted goes on when it is started again; `report` gets the number of the last line that is stored,
    and None when our own export is all there and facts and index are made of it.
    Only a file that is one JSON document is read whole, and refused beyond a
    limit (`IMPORT_LARGEST_DOCUMENT`). Raises as `import_memory`.
    """
    check_format(file_format)
    if file_format != "unde" and not _has_lines(source, file_format):
        data = source.read(settings.UNDE_TUNING.IMPORT_LARGEST_DOCUMENT + 1)
        if len(data) > settings.UNDE_TUNING.IMPORT_LARGEST_DOCUMENT:
            raise DocumentTooLarge
        return import_memory(
            tenant=tenant,
            user_external_id=user_external_id,
            data=data,
            file_format=file_format,
            actor="system",
            now=now,
        )
    outcome = ImportOutcome()
    rows = read_rows(source)
    if file_format == "unde":
        import_export_in_pieces(
            tenant=tenant, user_external_id=user_external_id, rows=rows, now=now, outcome=outcome, report=report
        )
        tell_end(tenant, user_external_id, outcome)
        return outcome
    # Where messages of different pieces are out of order, their own times still decide which fact holds (D-2).
    for chunk in split(_list_drafts(rows, file_format, user_external_id, now, outcome)):
        piece = sorted(chunk, key=lambda each: each[1].created_at)
        store_piece(tenant, piece, actor="system", now=now, outcome=outcome)
        report(chunk[-1][0])
    tell_end(tenant, user_external_id, outcome)
    return outcome


def tell_end(tenant: TenantRef, user_external_id: str, outcome: ImportOutcome) -> None:
    """An import is over: an event with its counts, in a transaction of its own."""
    data = {"messages": outcome.messages, "facts": outcome.facts, "failed": outcome.failed}
    with tenant_scope(tenant.id):
        user = find_user(tenant_id=tenant.id, external_id=user_external_id)
        record_event("import.completed", tenant_id=tenant.id, user=user, data=data)


def check_format(file_format: str) -> None:
    """Raise InvalidRequest unless it is one of FORMATS."""
    if file_format not in FORMATS:
        raise InvalidRequest(fields={"format": f"must be one of {', '.join(FORMATS)}"})


def _has_lines(source: BinaryIO, file_format: str) -> bool:
    """Whether the file is an object a line; a lone one is a document with lists. Leaves the file at its start."""
    first = source.readline(settings.UNDE_TUNING.IMPORT_LONGEST_LINE)
    while first and not first.strip():
        first = source.readline(settings.UNDE_TUNING.IMPORT_LONGEST_LINE)
    has_more = bool(source.read(64).strip())
    source.seek(0)
    return (
        len(first) < settings.UNDE_TUNING.IMPORT_LONGEST_LINE
        and isinstance(read_row(first), dict)
        and (has_more or file_format == "jsonl")
    )


def _list_drafts(
    rows: Iterable[Row], file_format: str, user_external_id: str, now: datetime, outcome: ImportOutcome
) -> Iterator[Numbered]:
    for number, row in rows:
        try:
            if isinstance(row, InvalidRequest):
                raise row
            drafts = [_make_draft(each, user_external_id, now, file_format) for each in READERS[file_format](row)]
        except CodedError as error:
            outcome.add_error(number, error)
            continue
        yield from ((number, draft) for draft in drafts)


def _list_objects(data: bytes, file_format: str) -> Iterator[Row]:
    document = None if file_format == "jsonl" and not data.lstrip().startswith(b"[") else read_document(data)
    if document is None:
        yield from read_rows(BytesIO(data))
        return
    for number, row in enumerate(list_rows(document), start=1):
        yield number, (find_bad_text(row) or row) if isinstance(row, dict) else BadLine()


def _make_draft(message: ForeignMessage, user_external_id: str, now: datetime, file_format: str) -> Draft:
    return make_draft(
        user_id=user_external_id,
        conversation_id=message.conversation[: settings.UNDE_TUNING.MAX_ID_CHARACTERS],
        role=message.role,
        content=message.content,
        now=now,
        created_at=message.said_at,
        client_id=_make_client_id(message),
        speaker=message.speaker[: settings.UNDE_TUNING.MAX_ID_CHARACTERS],
        metadata={**message.metadata, TOLD_BY: {"via": "import", "client": file_format}},
    )


def _make_client_id(message: ForeignMessage) -> str:
    """The other system's id, or one made of what was said and when: the same file again names the same messages."""
    if message.client_id and len(message.client_id) <= settings.UNDE_TUNING.MAX_ID_CHARACTERS:
        return message.client_id
    said = "\x1f".join((message.role, message.said_at.isoformat(), message.client_id or "", message.content))
    return f"import:{hashlib.sha256(said.encode()).hexdigest()[:40]}"


def store_piece(
    tenant: TenantRef, chunk: Sequence[Numbered], *, actor: str, now: datetime, outcome: ImportOutcome
) -> None:
    """Store messages, each by itself, and count what became of them. A piece is a transaction. Writes."""
    answers = store_messages(tenant=tenant, drafts=[draft for _, draft in chunk], actor=actor, now=now)
    for (number, _), answer in zip(chunk, answers, strict=True):
        if isinstance(answer, CodedError):
            outcome.add_error(number, answer)
        elif answer.is_new:
            outcome.messages += 1
            outcome.facts += len(answer.changes)
        else:
            outcome.repeated += 1


def split(drafts: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    """Pieces of what is stored together."""
    remaining = iter(drafts)
    while chunk := list(islice(remaining, settings.UNDE_TUNING.MAX_BATCH_MESSAGES)):
        yield chunk
