"""The room's ingest steps, named in `settings.INGEST_STEPS`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from zoneinfo import ZoneInfo

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from memory.errors import CodedError
from memory.storing.reading import TextReader
from memory.storing.types import Ingest, IngestStep
from memory.types import Draft, RecordedMessage
from retrieval.index.embedding_models import get_configured_provider
from retrieval.index.entries import Entry, make_entries, name_entry
from retrieval.index.writing import INDEXED_ROLES, index_all, remove_messages
from retrieval.receipts.reading import list_known_receipts

logger = logging.getLogger(__name__)


class UnknownReceipt(CodedError):
    """An assistant message names a receipt that this user does not have (D-23)."""

    code = "unknown_receipt"
    status = 422
    default_message = "This user has no such receipt."


class CheckReceipt(IngestStep):
    """A reply names the pack it was made from: that pack must exist and be this user's (D-23)."""

    is_admission = True

    def on_message(self, ingest: Ingest, message: RecordedMessage) -> None:
        """Raises UnknownReceipt. Reads only when the message names a receipt."""
        if message.receipt_id is None:
            return
        if message.role != "assistant":
            raise UnknownReceipt(
                "Only assistant messages have a receipt_id.", fields={"receipt_id": "not_an_assistant"}
            )
        if not list_known_receipts(user=ingest.user, receipt_ids=[message.receipt_id]):
            raise UnknownReceipt(fields={"receipt_id": "unknown"})


class IndexMessages(IngestStep):
    """New messages can be found by the next search (D-8, D-11)."""

    def read(self, drafts: Sequence[Draft], *, reader: TextReader, zone: ZoneInfo) -> None:
        """Finds the words of the messages, and their vectors where the embedder is built in."""
        named = {name_entry(draft): draft for draft in drafts if draft.role in INDEXED_ROLES}
        entries = make_entries(list(named.values()), get_configured_provider())
        for name, entry in zip(named, entries, strict=True):
            reader.note(name, entry)

    def finish(self, ingests: Sequence[Ingest]) -> None:
        """Writes the index of all users in one statement; older versions of edited messages leave it (D-4)."""
        fresh: list[RecordedMessage] = []
        entries: list[Entry] = []
        for ingest in ingests:
            if ingest.replaced_ids:
                remove_messages(user=ingest.user, message_ids=ingest.replaced_ids)
            for message in ingest.messages:
                if message.role in INDEXED_ROLES and message.id not in ingest.replaced_ids:
                    fresh.append(message)
                    entries.append(ingest.reader.keep(name_entry(message), partial(_make_entry, message)))
        if fresh and index_all(messages=fresh, entries=entries, now=ingests[0].now):
            transaction.on_commit(wake_embedders)


def _make_entry(message: RecordedMessage | Draft) -> Entry:
    return make_entries([message], get_configured_provider())[0]


def wake_embedders() -> None:
    """Tell a worker that vectors are to be made. The list is in the database: a lost call costs a minute (SPEC M-2)."""
    try:
        current_app.send_task("retrieval.tasks.embed_pending", queue="high", retry=False)
    except OperationalError:
        logger.warning("no worker was woken for vectors: the broker cannot be reached")
