"""What is derived depends on what is there, not on how it came: N-7, D-48."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.knowledge.ingest.types import DocumentBody, RecordBody
from retrieval.knowledge.schemas.schema import SchemaBody
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.selectors.fingerprints import fingerprint_corpus
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.ingesting import ingest
from retrieval.knowledge.services.removing import remove_document, remove_record

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, tzinfo=UTC)
NAMES = (
    "АЛОР Брокер", "ALOR", "Алор", "EPAM Systems", "EPAM", "Epam", "СКИО", "t2", "T2", "AI-Portfolio", "AI Portfolio", "Python",
    "Питон", "C++", "C#", "Compiègne", "Compiegne", "Северный поток", "Павел Львов", "The Who", "دبي مول", "مول", "北京", "New York", "York",
    "Retrieval-Augmented Generation", "RAG", "Go", "Moscow Metro", "Москва Метро", "Сан Марино", "San Marino", "May Day",
)  # fmt: skip
WORDS = (
    "в",
    "на",
    "северного",
    "потока",
    "использует",
    "with",
    "и",
    "Павла",
    "Львова",
    "АЛОРе",
    "питоном",
    "والمول",
    "я在北京工作",
    "Compiegne",
    "Москва метро",
    "may day",
    "сан Марино",
)
SCHEMA = {"types": ["A", "B"], "edges": [{"kind": "LINK", "from": ["A", "B"], "to": ["A", "B"]}]}


class Builder:
    """A corpus that is filled at random, and what is in it now."""

    def __init__(self, tenant: TenantRef, corpus: str, schema: str) -> None:
        self.tenant, self.corpus = tenant, corpus
        self.documents: dict[str, DocumentBody] = {}
        self.records: dict[str, RecordBody] = {}
        with tenant_scope(tenant.id):
            put_corpus(tenant_id=tenant.id, external_id=corpus, name=None, schema=build(schema), settings=None, now=NOW)

    def ingest(self, documents: list[DocumentBody], records: list[RecordBody]) -> None:
        with tenant_scope(self.tenant.id):
            outcome = ingest(
                tenant_id=self.tenant.id, corpus=self.corpus, documents=documents, records=records, now=NOW
            )
        for body, result in zip((*documents, *records), outcome.results, strict=True):
            if result.status in ("added", "replaced"):
                kept: dict[str, Any] = self.documents if isinstance(body, DocumentBody) else self.records
                kept[body.id] = body

    def remove(self, kind: str, external_id: str) -> None:
        remover, kept = {"d": (remove_document, self.documents), "r": (remove_record, self.records)}[kind]
        with tenant_scope(self.tenant.id):
            remover(tenant_id=self.tenant.id, corpus=self.corpus, external_id=external_id, now=NOW)
        del kept[external_id]  # type: ignore[attr-defined]

    def fingerprint(self) -> dict[str, str]:
        with tenant_scope(self.tenant.id):
            corpus = get_corpus(tenant_id=self.tenant.id, external_id=self.corpus)
            return fingerprint_corpus(corpus_id=corpus.id)


def build(schema: str) -> Any:
    return schema if schema == "documents" else msgspec.convert(SCHEMA, SchemaBody)


def make_document(dice: random.Random) -> DocumentBody:
    text = " ".join(dice.choice((*NAMES, *WORDS)) for _ in range(dice.randint(0, 30)))
    return DocumentBody(id=f"d{dice.randint(0, 15)}", text=text, title=dice.choice((*NAMES, "RAG (film)", None)))


def make_record(dice: random.Random) -> RecordBody:
    edges = [
        {"kind": "LINK", "to": {"type": dice.choice("AB"), dice.choice(("key", "name")): dice.choice(NAMES)}}
        for _ in range(dice.randint(0, 3))
    ]
    return msgspec.convert(
        {
            "id": f"r{dice.randint(0, 15)}",
            "type": dice.choice("AB"),
            "name": dice.choice(NAMES),
            "key": dice.choice((None, None, "k1", "k2", dice.choice(NAMES).lower())),
            "aliases": dice.sample(NAMES, dice.randint(0, 3)),
            "text": dice.choice((None, " ".join(dice.sample(NAMES, 4)))),
            "edges": edges,
        },
        RecordBody,
    )


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("schema", ["own", "documents"])
def test_after_any_history_a_corpus_equals_a_fresh_build(tenant: TenantRef, seed: int, schema: str) -> None:
    dice = random.Random(seed)
    lived = Builder(tenant, "lived", schema)
    for _ in range(40):
        if dice.random() < 0.4 and (lived.documents or lived.records):
            kind, kept = dice.choice([each for each in (("d", lived.documents), ("r", lived.records)) if each[1]])
            lived.remove(kind, dice.choice(sorted(kept)))
        else:
            documents = [make_document(dice) for _ in range(dice.randint(0, 3))]
            records = [make_record(dice) for _ in range(dice.randint(0, 3))]
            lived.ingest(documents, records)
    fresh = Builder(tenant, "fresh", schema)
    records = list(lived.records.values())
    dice.shuffle(records)
    fresh.ingest(list(lived.documents.values()), records)
    assert lived.records == fresh.records
    assert lived.fingerprint() == fresh.fingerprint()
