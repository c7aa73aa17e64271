"""What is deleted from a corpus is nowhere: not in rows, and after a rewrite not in files (N-7)."""

from __future__ import annotations

import random
from io import StringIO

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from config.launch import paths
from config.launch.folders import Folders
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.knowledge.ingest.types import DocumentBody, RecordBody
from retrieval.knowledge.models import Corpus, InCorpus
from retrieval.knowledge.services.removing import remove_corpus
from tests.db.memory.erasure.test_table_files import find_files, make_marker
from tests.db.memory.erasure.test_table_files import patience as patience
from tests.db.retrieval.knowledge.test_rebuilding import Builder, make_document, make_record

TABLES = [model._meta.db_table for model in (Corpus, *InCorpus.__subclasses__())]
DOCUMENTS, AT_ONCE = 200, 50


def make_documents(dice: random.Random) -> list[DocumentBody]:
    drawn = [make_document(dice) for _ in range(DOCUMENTS)]
    return [
        DocumentBody(id=f"d{number}", title=f"{body.title or 'No'} {number}", text=body.text)
        for number, body in enumerate(drawn)
    ]


@pytest.mark.django_db
def test_after_two_hundred_deletes_and_ingests_the_graph_equals_a_fresh_build(tenant: TenantRef) -> None:
    dice = random.Random(11)
    lived, fresh = Builder(tenant, "lived", "documents"), Builder(tenant, "fresh", "documents")
    documents = make_documents(dice)
    for start in range(0, DOCUMENTS, AT_ONCE):
        lived.ingest(documents[start : start + AT_ONCE], [])
    for body in dice.sample(documents, 20):  # one by one, as a caller deletes
        lived.remove("d", body.id)
    again = [DocumentBody(id=body.id, title=body.title, text=f"{body.text} again") for body in documents]
    dice.shuffle(again)
    for start in range(0, DOCUMENTS, AT_ONCE):  # the rest goes as its successor comes
        lived.ingest(again[start : start + AT_ONCE], [])
    fresh.ingest(again, [])
    assert lived.fingerprint() == fresh.fingerprint()


def find_rows(marker: str) -> list[str]:
    """Tables of corpora that have the marker in any column of any row."""
    found = []
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"SELECT count(*) FROM {table} t WHERE strpos(t::text, %s) > 0", [marker])
            found += [table] if cursor.fetchone()[0] else []
    return found


@pytest.mark.django_db(transaction=True)
def test_what_was_deleted_is_in_no_row_and_after_a_rewrite_in_no_file(
    tenant: TenantRef, superuser_connection: psycopg.Connection, database_cluster: Folders, database_name: str
) -> None:
    for table, columns in {"document": ("text",), "chunk": ("text",), "record": ("body",)}.items():
        for column in columns:  # long values would be compressed, and a search for bytes would find nothing
            superuser_connection.execute(f"ALTER TABLE knowledge_{table} ALTER {column} SET STORAGE EXTERNAL")
    marker, other = make_marker(), make_marker()
    corpus = Builder(tenant, "notes", "own")
    documents = [
        DocumentBody(
            id=f"{word}-{number}", title=f"Title {word}", text=f"About {word}. " + f"More of {word} follows. " * 200,
            author=word, url=f"https://example.com/{word}", metadata={"note": word},
        )
        for word in (marker, other)
        for number in range(3)
    ]  # fmt: skip
    record = make_record(random.Random(3))
    records = [
        RecordBody(id=word, type="A", name=f"Name {word}", aliases=[f"Alias {word}"], fields={"note": word}, text=word, edges=record.edges)
        for word in (marker, other)
    ]  # fmt: skip
    corpus.ingest(documents, records)
    with tenant_scope(tenant.id):
        assert len(find_rows(marker)) >= 5
    for number in range(3):
        corpus.remove("d", f"{marker}-{number}")
    corpus.remove("r", marker)
    with tenant_scope(tenant.id):
        assert find_rows(marker) == []
        assert len(find_rows(other)) >= 5
        remove_corpus(tenant_id=tenant.id, corpus="notes")
        assert find_rows(other) == []
    superuser_connection.execute("ANALYZE")
    assert find_files(superuser_connection, database_cluster, marker)  # a DELETE alone leaves bytes behind
    url = paths.database_url("superuser", database=database_name)
    call_command("rewrite_storage", database_url=url, stdout=StringIO())
    assert find_files(superuser_connection, database_cluster, marker) == []
    assert find_files(superuser_connection, database_cluster, other) == []
