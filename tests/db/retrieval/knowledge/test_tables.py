"""The tables of knowledge guard themselves."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection

from memory.tenants.scope import tenant_scope
from memory.types import TenantRef


def make_corpus(tenant: TenantRef, external_id: str = "portfolio") -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO knowledge_corpus (tenant_id, external_id, name, schema_name, schema, created_at, updated_at)"
            " VALUES (%s, %s, 'Portfolio', 'documents', '{}', now(), now()) RETURNING id",
            [tenant.id, external_id],
        )
        return int(cursor.fetchone()[0])


def make_entity(tenant: TenantRef, corpus: int, key: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO knowledge_entity (tenant_id, corpus_id, type, key, name) VALUES (%s, %s, 'Person', %s, %s)"
            " RETURNING id",
            [tenant.id, corpus, key, key],
        )
        return int(cursor.fetchone()[0])


@pytest.mark.django_db
def test_a_key_is_one_entity_of_a_type(tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        corpus = make_corpus(tenant)
        make_entity(tenant, corpus, "alice")
        with pytest.raises(IntegrityError, match="a_key_is_one_entity_of_a_type"), tenant_scope(tenant.id):
            make_entity(tenant, corpus, "alice")


@pytest.mark.django_db
def test_an_entity_is_not_merged_into_one_of_another_corpus(tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        alice, bob = (make_entity(tenant, make_corpus(tenant, name), name) for name in ("alice", "bob"))
        constraint = "an_entity_is_merged_into_one_of_its_corpus"
        with pytest.raises(IntegrityError, match=constraint), tenant_scope(tenant.id), connection.cursor() as cursor:
            cursor.execute("UPDATE knowledge_entity SET merged_into_id = %s WHERE id = %s", [bob, alice])


@pytest.mark.django_db
def test_counts_of_a_corpus_follow_its_rows(tenant: TenantRef) -> None:
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        first, second = make_corpus(tenant, "first"), make_corpus(tenant, "second")
        for name in ("alice", "bob", "charlie"):
            make_entity(tenant, first, name)
        make_entity(tenant, second, "alice")
        cursor.execute("DELETE FROM knowledge_entity WHERE corpus_id = %s AND key = 'bob'", [first])
        cursor.execute("SELECT external_id, entities FROM knowledge_corpus ORDER BY id")
        assert cursor.fetchall() == [("first", 2), ("second", 1)]


@pytest.mark.django_db
def test_postings_come_with_their_chunk_and_go_with_it(tenant: TenantRef) -> None:
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        corpus = make_corpus(tenant)
        cursor.execute(
            "INSERT INTO knowledge_document (tenant_id, corpus_id, external_id, text, version, ingested_at)"
            " VALUES (%s, %s, 'one', 'word', 1, now()) RETURNING id",
            [tenant.id, corpus],
        )
        document = cursor.fetchone()[0]
        posting = (
            "INSERT INTO knowledge_posting (tenant_id, corpus_id, term, chunk_id, count) VALUES (%s, %s, 9, %s, 1)"
        )
        cursor.execute(
            "INSERT INTO knowledge_chunk (tenant_id, corpus_id, document_id, ordinal, start_at, end_at, text, words,"
            " tokeniser, terms, counts) VALUES (%s, %s, %s, 0, 0, 4, 'word', 1, 1, '{7,8}', '{1,2}') RETURNING id",
            [tenant.id, corpus, document],
        )
        chunk = cursor.fetchone()[0]
        find = "SELECT term, chunk_id, count FROM knowledge_posting WHERE corpus_id = %s ORDER BY term"
        cursor.execute(find, [corpus])
        assert cursor.fetchall() == [(7, chunk, 1), (8, chunk, 2)]
        for statement, values in (
            (posting, [tenant.id, corpus, chunk]),
            ("UPDATE knowledge_posting SET term = 9 WHERE corpus_id = %s", [corpus]),
            ("UPDATE knowledge_chunk SET terms = '{9}', counts = '{1}' WHERE corpus_id = %s", [corpus]),
        ):
            with pytest.raises(IntegrityError, match="a posting goes with its chunk"), tenant_scope(tenant.id):
                cursor.execute(statement, values)
        cursor.execute("DELETE FROM knowledge_document WHERE corpus_id = %s", [corpus])
        cursor.execute(find, [corpus])
        assert cursor.fetchall() == []
