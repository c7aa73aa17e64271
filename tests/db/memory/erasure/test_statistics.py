"""ANALYZE keeps samples of columns: none may be of a column that can hold what a person wrote (SPEC G-3)."""

import secrets
from typing import Any

import psycopg
import pytest
from django.apps import apps

from memory.registries import erasers, kept_models
from tests.cast import Chatter
from tests.db.memory.erasure.test_table_files import make_marker, plant

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = ("text", "character varying", "tsvector", "jsonb", "bytea", "halfvec", "text[]", "character varying[]")
"""Types of columns that could hold words, or what is made of them."""

CODES = {
    "adaptive_item": {"item_type", "status", "key_hash", "provenance", "language"},
    "answer_finding": {"code"},
    "api_key": {"key_hash", "name", "prefix", "scopes"},
    "chat_turn": {"state", "skill_status"},
    "consent": {"purpose_key", "actor"},
    "corrections_backtest_sample": {"change", "knowledge_type", "language"},
    "corrections_review_item": {"source", "operation", "knowledge_type", "language", "rule", "model", "prompt_version"}
    | {"state", "verdict", "locked_by", "skipped_by", "assigned_to"},
    "corrections_review_verdict": {"reviewer", "verdict"},
    "episode": {"anchored_by", "layer", "made_by"},
    "memory_import": {"file_format", "status", "failure", "actor"},
    "erasure_certificate": {"body", "signature"},
    "erasure_event": {"status", "code"},
    "erasure_request": {"fingerprint", "scope", "reason", "actor", "status", "legal_profile", "alert", "counts"},
    "extraction_run": {"status", "triggered_by", "code", "model", "prompt_version", "fingerprint", "results"}
    | {"engine_version"},
    "fact_candidate": {"key_hash", "knowledge_type", "kind", "status", "reason", "model", "prompt_version", "language"},
    "knowledge_receipt": {"intent", "tool", "policy", "language", "outcome", "fault", "reply_model", "degraded_reasons"}
    | {"steps", "timings"},
    "memory_action": {"kind", "actor", "effects", "detail", "engine_version"},
    "memory_correction_log": {"correction_type", "language", "golden_status"},
    "memory_event": {"type", "data"},
    "memory_forget_batch": {"status"},
    "memory_forget_item": {"part"},
    "memory_message": {"role", "memory_type", "language"},
    "memory_tombstone": {"subject_hmac", "scope", "message_ids", "refused_hmacs"},
    "message_index": {"role", "memory_type"},
    "message_snippet": {"model"},
    "privacy_request": {"kind", "regulation", "status", "fingerprint", "actor", "failure"},
    "project_snapshot": {"hash", "item_kind"},
    "project_source": {"kind"},
    "project_thread": {"item_kind", "scope"},
    "retrieval_feedback": {"signal"},
    "visit": {"permissions", "locale", "theme"},
    "retrieval_receipt": {"kind", "language", "intent", "policy_version", "tokenizer"},
    "review_sample": {"operation", "verdict", "knowledge_type", "language", "model", "prompt_version", "rule"}
    | {"judged_by", "locked_by"},
    "user_knowledge": {"knowledge_type", "key_hash", "extracted_from", "provenance", "epistemic_type"}
    | {"language", "rule"},
}
"""Columns of these types that hold codes, keyed hashes or counts, by table. Anything else has no statistics."""


def test_no_column_that_can_hold_words_is_sampled(superuser_connection: psycopg.Connection) -> None:
    labels = {label for eraser in erasers for label in eraser.models} | set(kept_models)
    tables = [apps.get_model(label)._meta.db_table for label in labels]
    rows = superuser_connection.execute(
        "SELECT c.relname::text, a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
        " WHERE c.relname = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget IS DISTINCT FROM 0"
        " AND regexp_replace(format_type(a.atttypid, NULL), '^.*\\.', '') = ANY(%s)",
        [tables, list(WORDS)],
    ).fetchall()
    assert {f"{table}.{column}" for table, column in rows if column not in CODES.get(table, set())} == set()


def test_after_analyze_no_statistics_hold_a_word(tenant: Any, superuser_connection: psycopg.Connection) -> None:
    marker = make_marker()
    # Enough rows that a sample would have something to say.
    for number in range(30):
        person = Chatter(tenant, f"{number}-{marker}-{secrets.token_hex(2)}")
        plant(person, marker, superuser_connection)
    superuser_connection.execute("ANALYZE")
    rows = superuser_connection.execute(
        "SELECT schemaname || '.' || tablename || '.' || attname FROM pg_stats"
        " WHERE concat_ws(' ', most_common_vals::text, histogram_bounds::text, most_common_elems::text) ~ %s",
        [marker],
    ).fetchall()
    assert [name for (name,) in rows] == []
    sampled = superuser_connection.execute(
        "SELECT count(*) FROM pg_stats WHERE tablename = 'message_index' AND attname = 'role'"
    ).fetchone()
    assert sampled == (1,)
