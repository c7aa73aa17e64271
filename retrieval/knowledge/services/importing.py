"""Files into a corpus, a batch a transaction. What is there is skipped, so a run that broke off is run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from memory.tenants.scope import tenant_scope
from retrieval.knowledge.ingest.files import SourceItem
from retrieval.knowledge.ingest.types import DocumentBody, RecordBody
from retrieval.knowledge.services.ingesting import ingest

STATEMENT_TIMEOUT_MS: Final = 600_000  # a batch may touch the chunks of the whole corpus


@dataclass(slots=True)
class ImportOutcome:
    """How many items were added, replaced, unchanged or refused, warnings by code, and the places of the refused."""

    statuses: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    errors: list[tuple[str, str]] = field(default_factory=list)


def import_items(
    *,
    tenant_id: UUID,
    corpus: str,
    items: Iterable[SourceItem],
    now: datetime,
    report: Callable[[ImportOutcome], None],
) -> ImportOutcome:
    """Ingest items in the order in which they come; `report` is called after each batch. Writes."""
    outcome = ImportOutcome()
    for batch in _list_batches(items, outcome):
        documents = [each for each in batch if isinstance(each.item, DocumentBody)]
        records = [each for each in batch if isinstance(each.item, RecordBody)]
        with tenant_scope(tenant_id, statement_timeout_ms=STATEMENT_TIMEOUT_MS):
            done = ingest(
                tenant_id=tenant_id,
                corpus=corpus,
                documents=[each.item for each in documents if isinstance(each.item, DocumentBody)],
                records=[each.item for each in records if isinstance(each.item, RecordBody)],
                now=now,
            )
        for source, result in zip([*documents, *records], done.results, strict=True):
            outcome.statuses[result.status] += 1
            outcome.warnings.update(warning["code"] for warning in result.warnings)
            if result.error:
                outcome.errors.append((source.place, result.error.code))
        report(outcome)
    return outcome


def _list_batches(items: Iterable[SourceItem], outcome: ImportOutcome) -> Iterator[list[SourceItem]]:
    batch: list[SourceItem] = []
    size = 0.0
    for source in items:
        if source.item is None:
            outcome.statuses["error"] += 1
            outcome.errors.append((source.place, source.code))
            continue
        length = _measure(source.item)
        if batch and (len(batch) == settings.UNDE_TUNING.CORPUS_IMPORT_ITEMS or size + length > 1):
            yield batch
            batch, size = [], 0.0
        batch.append(source)
        size += length
    if batch:
        yield batch


def _measure(item: DocumentBody | RecordBody) -> float:
    """The share of a batch that an item takes."""
    most = settings.UNDE_TUNING
    edges = len(item.edges or ()) if isinstance(item, RecordBody) else 0
    return float(len(item.text or "") / most.CORPUS_IMPORT_CHARACTERS + edges / most.CORPUS_IMPORT_EDGES)
