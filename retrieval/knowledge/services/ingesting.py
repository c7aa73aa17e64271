"""Documents and records into a corpus, each wholly in place of what had its id, in one transaction (N-1, D-48)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.errors import CodedError
from retrieval.knowledge.errors import ItemRefused
from retrieval.knowledge.ingest import documents as document_rows
from retrieval.knowledge.ingest import records as record_rows
from retrieval.knowledge.ingest.cycles import find_cycles
from retrieval.knowledge.ingest.deriving import derive_entities
from retrieval.knowledge.ingest.drafts import draft_record, warn
from retrieval.knowledge.ingest.mention_rows import update_mentions
from retrieval.knowledge.ingest.records import StoredRecord
from retrieval.knowledge.ingest.references import Resolution, point_edges_again, resolve_references, write_edges
from retrieval.knowledge.ingest.types import DocumentBody, IngestOutcome, ItemResult, RecordBody, RecordDraft
from retrieval.knowledge.services.locking import lock_corpus
from retrieval.knowledge.services.versions import find_next_version, finish_write
from retrieval.knowledge.types import Changes, CorpusRef

Item = DocumentBody | RecordBody


def ingest(
    *,
    tenant_id: UUID,
    corpus: str,
    documents: Sequence[DocumentBody | ItemResult],
    records: Sequence[RecordBody | ItemResult],
    now: datetime,
    is_forced: bool = False,
) -> IngestOutcome:
    """Write what is new or changed; an item that is an ItemResult was refused before and keeps its place.

    With `is_forced` what is unchanged is written anew too.

    Call inside a tenant scope. Raises CorpusNotFound, CorpusBusy. Writes.
    """
    locked = lock_corpus(tenant_id=tenant_id, external_id=corpus)
    version, changes = find_next_version(locked), Changes()
    document_results = _refuse_repeats("document", documents)
    record_results = _refuse_repeats("record", records)
    _ingest_documents(locked, documents, document_results, changes, version=version, now=now, is_forced=is_forced)
    edges = _ingest_records(locked, records, record_results, changes, version=version, now=now, is_forced=is_forced)
    derive_entities(locked, changes, is_last=False)
    point_edges_again(locked, changes)
    _write_edges(locked, edges, changes)
    derive_entities(locked, changes, is_last=True)
    update_mentions(locked, changes)
    results = (*document_results, *record_results)
    return IngestOutcome(results, finish_write(locked, version=version, changes=changes, results=results, now=now))


def _refuse_repeats(kind: str, items: Sequence[Item | ItemResult]) -> list[ItemResult]:
    """A result for each item. The same id twice: the same again is fine, another content is an error of the later."""
    seen: dict[str, Item] = {}
    results = []
    for item in items:
        if isinstance(item, ItemResult):
            results.append(item)
        elif item.id in seen and seen[item.id] != item:
            error = ItemRefused("repeated_id", "This id comes twice with different contents.", id="is repeated")
            results.append(ItemResult(item.id, kind, "error", error=error))
        else:
            results.append(ItemResult(item.id, kind, "unchanged" if item.id in seen else "added"))
            seen[item.id] = item
    return results


def _ingest_documents(
    corpus: CorpusRef,
    items: Sequence[DocumentBody | ItemResult],
    results: Sequence[ItemResult],
    changes: Changes,
    *,
    version: int,
    now: datetime,
    is_forced: bool,
) -> None:
    new = [(item, result) for item, result in zip(items, results, strict=True) if isinstance(item, DocumentBody)]
    new = [(item, result) for item, result in new if result.status == "added"]
    stored = document_rows.find_stored(corpus, [item.id for item, _ in new])
    for item, result in new:
        if item.id in stored:
            is_same = stored[item.id][1] == document_rows.list_values(item) and not is_forced
            result.status = "unchanged" if is_same else "replaced"
        if not item.text.strip():
            result.warnings.append(warn("empty_text", "text"))
    written = [item for item, result in new if result.status != "unchanged"]
    document_rows.remove_documents(corpus, [stored[item.id][0] for item in written if item.id in stored], changes)
    document_rows.write_documents(corpus, written, changes, version=version, now=now)


def _ingest_records(
    corpus: CorpusRef,
    items: Sequence[RecordBody | ItemResult],
    results: Sequence[ItemResult],
    changes: Changes,
    *,
    version: int,
    now: datetime,
    is_forced: bool,
) -> list[tuple[int, int, RecordDraft, ItemResult]]:
    """Records without their edges. (number, entity, draft, result) of those whose edges are to be written."""
    new = _draft(corpus, items, results)
    stored = record_rows.find_stored(corpus, [draft.body.id for draft, _ in new])
    _refuse_taken_keys(corpus, new, stored)
    for draft, result in new:
        if result.status != "error" and draft.body.id in stored:
            is_same = stored[draft.body.id].body == record_rows.to_stored(draft.body) and not is_forced
            result.status = "unchanged" if is_same else "replaced"
    written = [(draft, result) for draft, result in new if result.status in ("added", "replaced")]
    record_rows.remove_records(
        corpus, [stored[draft.body.id] for draft, _ in written if draft.body.id in stored], changes
    )
    numbers = record_rows.write_records(corpus, [draft for draft, _ in written], changes, version=version, now=now)
    return [(*numbers[draft.body.id], draft, result) for draft, result in written]


def _draft(
    corpus: CorpusRef, items: Sequence[RecordBody | ItemResult], results: Sequence[ItemResult]
) -> list[tuple[RecordDraft, ItemResult]]:
    drafts = []
    for item, result in zip(items, results, strict=True):
        if not isinstance(item, RecordBody) or result.status != "added":
            continue
        try:
            draft = draft_record(item, corpus.schema)
        except CodedError as error:
            result.status, result.error = "error", error
            continue
        result.warnings.extend(draft.warnings)
        drafts.append((draft, result))
    return drafts


def _refuse_taken_keys(
    corpus: CorpusRef, new: Sequence[tuple[RecordDraft, ItemResult]], stored: Mapping[str, StoredRecord]
) -> None:
    """Two records of one key: the later is an error. One that is refused keeps what it had, which may refuse others."""
    owners = record_rows.find_owners(corpus, [(draft.body.type, draft.key) for draft, _ in new])
    while True:
        open_ids = {draft.body.id for draft, result in new if result.status != "error"}
        taken = {key: owner for key, owner in owners.items() if owner not in open_ids}
        for draft, result in new:
            old = stored.get(draft.body.id)
            if result.status == "error" and old:
                taken[old.type, old.key] = old.id
        refused = _refuse_second_ones(new, taken)
        if not refused:
            return


def _refuse_second_ones(new: Sequence[tuple[RecordDraft, ItemResult]], taken: dict[tuple[str, str], str]) -> bool:
    has_refused = False
    for draft, result in new:
        if result.status == "error":
            continue
        owner = taken.setdefault((draft.body.type, draft.key), draft.body.id)
        if owner != draft.body.id:
            message = "Another record of this type has this key. Use different keys."
            result.status, result.error = "error", ItemRefused("key_taken", message, key="is taken")
            has_refused = True
    return has_refused


def _write_edges(
    corpus: CorpusRef,
    records: Sequence[tuple[int, int, RecordDraft, ItemResult]],
    changes: Changes,
) -> None:
    references = [edge.to for _, _, draft, _ in records for edge in draft.edges]
    resolution = resolve_references(corpus, references, changes)
    edges = [(number, entity, edge) for number, entity, draft, _ in records for edge in draft.edges]
    write_edges(corpus, edges, resolution.targets, changes)
    bare = _find_bare(corpus, resolution)
    cycles = find_cycles(corpus, [(entity, edge.kind) for _, entity, edge in edges])
    for _, entity, draft, result in records:
        for edge in draft.edges:
            where = f"edges[{edge.ordinal}]"
            if edge.to.text in resolution.ambiguous:
                result.warnings.append(warn("ambiguous_target", f"{where}.to"))
            elif resolution.targets[edge.to.text] in bare:
                result.warnings.append(warn("bare_target", f"{where}.to"))
            if (entity, edge.kind) in cycles:
                result.warnings.append(warn("cycle", where))


def _find_bare(corpus: CorpusRef, resolution: Resolution) -> set[int]:
    statement = "SELECT id FROM knowledge_entity WHERE corpus_id = %s AND id = ANY(%s) AND is_bare"
    return {row[0] for row in fetch_rows(statement, [corpus.id, sorted(set(resolution.targets.values()))])}
