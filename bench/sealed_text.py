"""What sealed message text would cost: `script/manage shell < bench/sealed_text.py` (docs/decisions/0001).

An experiment on the real parts: the labelled conversations are ingested and their questions asked twice, as the service
does it and with five of its functions replaced, so that text is sealed, lexemes are hashed and vectors turned under the
user's key. Prints what both ways cost and whether they find the same. Writes into scratch tenants that are rolled back.
BENCH_ROUNDS (default 3) repeats it, the two ways by turns; the smallest figure of each counts.
"""

import base64
import hashlib
import hmac
import json
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
from django.db import connection

from memory.sealing.cipher import seal, unseal
from memory.selectors import messages as message_selectors
from memory.selectors.users import get_user
from memory.services.drafts import make_draft
from memory.storing import raw
from memory.storing.messages import store_messages
from memory.storing.types import TenantRef
from memory.types import Draft, RecordedMessage, UserRef
from retrieval import entries, lexemes, matching
from retrieval.embedding.hashed import DIMENSIONS
from retrieval.embedding.types import format_vector, pack_vector, pack_vectors
from retrieval.evaluation.dataset import LabelledConversation, LabelledQuestion, read_conversations, read_questions
from retrieval.evaluation.metrics import find_percentile
from retrieval.evaluation.runner import scratch_tenant
from retrieval.pipeline import search_messages
from retrieval.selectors import cards, places
from retrieval.services import index
from retrieval.tokens import tokenise
from retrieval.types import SearchQuery

SETS = Path("tests/data/retrieval")
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
MARK = "\u0011sealed:1:"  # what is not of us and begins so does not open, and is the text itself
NOW = datetime.now(UTC)
TOP = 10
BATCH = 50


class Keys:
    """The keys of the user who is at work; a service would hand them on beside the user."""

    def __init__(self) -> None:
        self.of_user: dict[str, bytes] = {}
        self.user_id = UUID(int=0)
        self.lexeme_key = b""
        self.text_key = b""
        self.turns: tuple[Any, Any] = (np.arange(0), np.ones(0))

    def enter(self, name: str, dimensions: int = DIMENSIONS) -> None:
        """Derive one key for one use each, as memory/sealing/cipher.py does."""
        key = self.of_user.setdefault(name, os.urandom(32))
        self.text_key = key
        self.user_id = UUID(bytes=hashlib.sha256(name.encode()).digest()[:16])
        self.lexeme_key = hmac.digest(key, b"unde memory v1 lexeme", "sha256")
        draw = np.random.default_rng(int.from_bytes(hmac.digest(key, b"unde memory v1 vector", "sha256"), "big"))
        self.turns = (draw.permutation(dimensions), draw.choice((-1.0, 1.0), dimensions))


KEYS = Keys()
make_row = raw._make_own_row  # the service's own, before anything is replaced
open_card, open_neighbour = cards.CardText, cards.Neighbour


def seal_text(text: str, purpose: str) -> str:
    """AES-256-GCM under the user's key, bound to the user and the message, as text of the same column."""
    sealed = seal(text.encode(), user_key=KEYS.text_key, user_id=KEYS.user_id, purpose=purpose)
    return MARK + base64.b64encode(sealed).decode()


def open_text(text: str, purpose: str) -> str:
    """The words behind a sealed text; any other text is itself."""
    if not text.startswith(MARK):
        return text
    sealed = base64.b64decode(text[len(MARK) :])
    return unseal(sealed, user_key=KEYS.text_key, user_id=KEYS.user_id, purpose=purpose).decode()


def make_sealed_row(message: RecordedMessage | Draft, message_id: UUID, received_at: datetime) -> dict[str, Any]:
    """A row of RAW, of a batch or alone, whose words are sealed, and whose hash of the content is keyed."""
    row = make_row(message, message_id, received_at)
    purpose = f"message {message_id}"
    row["content"] = seal_text(message.content, purpose)
    if message.blocks is not None:
        row["blocks"] = json.dumps(seal_text(json.dumps(message.blocks), purpose))
    if message.response_description is not None:
        row["response_description"] = seal_text(message.response_description, purpose)
    row["content_hash"] = "\\x" + hmac.digest(KEYS.lexeme_key, row["content_hash"].encode(), "sha256").hex()
    return row


def make_opened_message(*values: Any, **named: Any) -> RecordedMessage:
    """A message as read, opened."""
    message = RecordedMessage(*values, **named)
    message.content = open_text(message.content, f"message {message.id}")
    return message


def make_opened_card(*row: Any) -> Any:
    """A card's text, opened."""
    card = open_card(*row)
    return replace(card, content=open_text(card.content, f"message {card.message_id}"))


def make_opened_neighbour(message_id: UUID, role: str, content: str, similarity: Any) -> Any:
    """A neighbour's text, opened."""
    return open_neighbour(message_id, role, open_text(content, f"message {message_id}"), similarity)


def hash_keyed(lexeme: str) -> bytes:
    """Five bytes that stand for a lexeme of this user, and say nothing without the key."""
    return hashlib.blake2b(lexeme.encode(), key=KEYS.lexeme_key, digest_size=lexemes.HASH_BYTES).digest()


def format_turned(vector: Sequence[float]) -> str:
    """The vector with its coordinates in an order and with signs of the user's own: all products stay what they are."""
    order, signs = KEYS.turns
    return format_vector((np.asarray(vector)[order] * signs).tolist())


def pack_turned(vector: Sequence[float]) -> bytes:
    """As `format_turned`, in binary: of a question, or of a message whose provider is asked for one at a time."""
    order, signs = KEYS.turns
    return pack_vector((np.asarray(vector)[order] * signs).tolist())


def pack_all_turned(vectors: np.ndarray[Any, Any]) -> list[bytes]:
    """As `format_turned`, for what is written with a message."""
    order, signs = KEYS.turns
    return pack_vectors(vectors[:, order] * signs)


@contextmanager
def sealed() -> Iterator[None]:
    """The service with its seams replaced."""
    replaced: list[tuple[Any, str, Callable[..., Any]]] = [
        (raw, "_make_own_row", make_sealed_row),
        (message_selectors, "RecordedMessage", make_opened_message),
        (cards, "CardText", make_opened_card),
        (cards, "Neighbour", make_opened_neighbour),
        (lexemes, "hash_lexeme", hash_keyed),
        (lexemes, "hash_new_lexeme", hash_keyed),
        (matching, "hash_lexeme", hash_keyed),
        (index, "format_vector", format_turned),
        (entries, "pack_vector", pack_turned),
        (entries, "pack_vectors", pack_all_turned),
        (cards, "pack_vector", pack_turned),
        (places, "pack_vector", pack_turned),
    ]
    started = [patch.object(module, name, function) for module, name, function in replaced]
    for each in started:
        each.start()
    try:
        yield
    finally:
        for each in started:
            each.stop()


@contextmanager
def plain() -> Iterator[None]:
    """The service as it is."""
    yield


@dataclass
class Figures:
    """What one way cost; milliseconds a message or a question, bytes a message."""

    ingest_process: list[float] = field(default_factory=list)
    ingest_database: list[float] = field(default_factory=list)
    search_process: list[float] = field(default_factory=list)
    search_database: list[float] = field(default_factory=list)
    bytes_by_table: dict[str, float] = field(default_factory=dict)
    found: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    recall: float = 0.0


def read_backend_ms() -> float:
    """CPU that the connection's backend has spent, in milliseconds (Linux, database on this machine; else 0)."""
    stat = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return int(stat.read_text().split()[0]) / 1e6 if stat.exists() else 0.0


def measure(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What it returns, CPU of this process and of the backend in milliseconds."""
    process, database = time.process_time(), read_backend_ms()
    done = work()
    return done, (time.process_time() - process) * 1e3, read_backend_ms() - database


def ingest(tenant: TenantRef, conversation: LabelledConversation) -> None:
    """All of a conversation through the front door of the room, in batches."""
    drafts = [
        make_draft(
            user_id=conversation.user_id,
            conversation_id=conversation.conversation_id,
            role=message.role,
            content=message.text,
            now=NOW,
            created_at=message.said_at,
            client_id=message.id,
            speaker=message.speaker,
        )
        for message in conversation.messages
    ]
    for start in range(0, len(drafts), BATCH):
        store_messages(tenant=tenant, drafts=drafts[start : start + BATCH], actor="key:bench", now=NOW)


def ask(user: UserRef, question: LabelledQuestion) -> list[tuple[str, float]]:
    """What a question finds: the labels of messages with their scores."""
    result = search_messages(SearchQuery(user=user, text=question.query, top_k=TOP), now=question.asked_at or NOW)
    return [(card.client_id or "", round(card.score, 6)) for card in result.results]


def read_sizes(tenant_id: UUID, messages: int) -> dict[str, float]:
    """Bytes a message in each table, as stored: compressed where PostgreSQL compresses."""
    with connection.cursor() as cursor:
        sizes = {}
        for table in ("memory_message", "message_index", "message_embedding"):
            cursor.execute(f"SELECT sum(pg_column_size(t.*)) FROM {table} t WHERE tenant_id = %s", [tenant_id])
            sizes[table] = int(cursor.fetchone()[0] or 0) / messages
    return sizes


def run(
    way: Callable[[], Any],
    conversations: Sequence[LabelledConversation],
    questions: dict[str, list[LabelledQuestion]],
    figures: Figures,
) -> None:
    """One round of one way."""
    with scratch_tenant() as tenant_id, way():
        tenant = TenantRef(id=tenant_id, zone=ZoneInfo("UTC"))
        count = sum(len(each.messages) for each in conversations)
        ingest_process = ingest_database = 0.0
        search_process, search_database, recalls = [], [], []
        for conversation in conversations:
            KEYS.enter(conversation.user_id)
            _, process, database = measure(partial(ingest, tenant, conversation))
            ingest_process, ingest_database = ingest_process + process, ingest_database + database
        for conversation in conversations:
            KEYS.enter(conversation.user_id)
            user = get_user(tenant_id=tenant_id, external_id=conversation.user_id)
            for question in questions[conversation.user_id]:
                found, process, database = measure(partial(ask, user, question))
                search_process.append(process)
                search_database.append(database)
                figures.found[question.id] = found
                hits = {name for name, _ in found}
                recalls.append(len(hits & set(question.evidence)) / len(set(question.evidence)))
        figures.ingest_process.append(ingest_process / count)
        figures.ingest_database.append(ingest_database / count)
        figures.search_process.append(find_percentile(search_process, 0.5))
        figures.search_database.append(find_percentile(search_database, 0.5))
        figures.bytes_by_table = read_sizes(tenant_id, count)
        figures.recall = statistics.fmean(recalls)


def time_each(work: Callable[[], Any], times: int) -> float:
    """Microseconds of one call."""
    started = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - started) / times * 1e6


def print_parts(text: str) -> None:
    """The parts alone, for one message."""
    KEYS.enter("parts")
    closed, vector = seal_text(text, "m"), [0.1, 0.0] * 256
    words = [f"{word}{n}" for n, word in enumerate(text.split())]
    parts = {
        "seal a text": lambda: seal_text(text, "m"),
        "open a text": lambda: open_text(closed, "m"),
        "hash its lexemes with a key": lambda: [hash_keyed(word) for word in words],
        "hash them without (none known yet)": lambda: [hashlib.sha256(w.encode()).digest()[:5] for w in words],
        "turn and write a vector": lambda: format_turned(vector),
        "write it as it is": lambda: format_vector(vector),
    }
    for name, work in parts.items():
        print(f"  {name:<36} {time_each(work, 2_000):8.1f} us")


def print_dictionary_attack() -> None:
    """What somebody with a copy of the index and a list of words reads in it: the words of one half of the sets, looked
    for in the entries of the other."""
    known, held = (
        [
            word
            for each in read_conversations(SETS / f"{name}.conversations.jsonl")
            for message in each.messages
            for token in tokenise(message.text)
            for word, _ in token.lexemes
        ]
        for name in ("held_out", "dev")
    )
    KEYS.enter("attacked")
    for name, make_hash in (("as it is", lexemes.hash_lexeme), ("sealed", hash_keyed)):
        # The attacker has no key: the words on the list are hashed as the index hashes where there is none.
        words = {lexemes.hash_lexeme(word) for word in known}
        share = statistics.fmean(make_hash(word) in words for word in held)
        print(f"  words named by a list of {len(set(known))}, {name:<9} {share:.1%}")


def main() -> None:
    """Both ways by turns, then the table."""
    conversations: list[LabelledConversation] = []
    questions: dict[str, list[LabelledQuestion]] = defaultdict(list)
    for name in ("dev", "held_out"):
        conversations += read_conversations(SETS / f"{name}.conversations.jsonl")
        for question in read_questions(SETS / f"{name}.questions.jsonl"):
            questions[question.user_id].append(question)
    run(plain, conversations[:1], questions, Figures())  # whatever a process does once
    ways = {"as it is": (plain, Figures()), "sealed": (sealed, Figures())}
    for _ in range(ROUNDS):
        for way, figures in ways.values():
            run(way, conversations, questions, figures)
    first, second = (figures for _, figures in ways.values())
    texts = [message.text for each in conversations for message in each.messages]
    size = statistics.fmean(map(len, texts))
    print(f"{len(texts)} messages of {len(conversations)} people, {size:.0f} characters each,")
    print(f"{len(first.found)} questions, {ROUNDS} rounds; CPU in milliseconds, smallest of the rounds\n")
    for name, pick in (
        ("ingest a message, process", lambda f: min(f.ingest_process)),
        ("ingest a message, database", lambda f: min(f.ingest_database)),
        ("search, process (median)", lambda f: min(f.search_process)),
        ("search, database (median)", lambda f: min(f.search_database)),
        ("bytes a message in memory_message", lambda f: f.bytes_by_table["memory_message"]),
        ("bytes a message in message_index", lambda f: f.bytes_by_table["message_index"]),
        ("bytes a message in message_embedding", lambda f: f.bytes_by_table["message_embedding"]),
        (f"recall@{TOP}", lambda f: f.recall),
    ):
        one, other = pick(first), pick(second)
        print(f"  {name:<36} {one:10.3f} {other:10.3f}   x {other / one if one else 0:.2f}")
    names = {way: {each: [hit for hit, _ in found] for each, found in f.found.items()} for way, (_, f) in ways.items()}
    same = sum(names["as it is"][each] == names["sealed"][each] for each in first.found)
    gaps = [
        abs(one - other)
        for each in first.found
        for (_, one), (_, other) in zip(first.found[each], second.found[each], strict=True)
    ]
    print(
        f"  the same hits in the same order: {same} of {len(first.found)}; scores differ by {max(gaps):.6f} at most\n"
    )
    print_dictionary_attack()
    print_parts(max(texts[:200], key=len))


main()
