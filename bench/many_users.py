#!/usr/bin/env python3
"""Search and context packs over HTTP where many users have many messages: data straight into the tables, then load.

    script/server &
    .venv/bin/python bench/many_users.py --messages 1000000 --users 1000

Data goes into a tenant of its own that stays for the next run (`--name`; nothing is made twice), by COPY into temporary
tables and INSERT under the tenant's policy, as the service's own role, in time order with the users interleaved.
`--large 20000,100000` adds one user of each size. Then questions go to random users from one client and from
`--clients` at once. Each figure stands beside `GET /healthz` with as many clients (what HTTP costs on this machine at
this moment); CPU is what the web processes and the database's backends spent per request, which varies less than wall
time on a machine that does other work too.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from connections import HttpConnection, make_request

ROOT = Path(__file__).resolve().parent.parent
READY = "UNDE_BENCH_IS_SET_UP"
POOL = 10_000  # different texts; messages repeat them
CONVERSATION, SESSION = 50, 10  # messages each
PORTION = 20_000
LETTERS = ("абвгдеиклмнопрстуя", "abcdefghilmnoprstu", "ابتجحدرسشعفقكلمنهوي", "衣裙鞋红蓝大小天气好买看去来")
SHARES = (0.45, 0.30, 0.15, 0.10)  # of languages, as in the service's first measurements
START = datetime(2025, 1, 1, tzinfo=UTC)
TICKS = os.sysconf("SC_CLK_TCK")


def enter() -> None:
    """Start again in the environment of the running service, as `script/manage` does."""
    sys.path.insert(0, str(ROOT))
    if READY in os.environ:
        import django

        django.setup()
        return
    from config.launch import paths
    from config.launch.embedded.keeper import read_wanted
    from config.launch.environment import build_environment, find_database_urls
    from config.launch.folders import make_folders

    places = make_folders(paths.data_dir())
    environment = build_environment(places, wanted=read_wanted(), urls=find_database_urls(places))
    os.execve(sys.executable, [sys.executable, __file__, *sys.argv[1:]], environment | {READY: "1"})


# --- data -----------------------------------------------------------------------------------------------------------


def make_texts(draw: random.Random) -> list[str]:
    """Sentences of made-up words whose frequencies fall as 1/rank, a language each."""
    vocabularies = []
    for letters in LETTERS:
        low, high = (1, 2) if letters == LETTERS[-1] else (3, 9)
        vocabularies.append(["".join(draw.choices(letters, k=draw.randint(low, high))) for _ in range(8_000)])
    weights = [1 / (rank + 8) for rank in range(8_000)]
    languages = draw.choices(vocabularies, SHARES, k=POOL)
    return [" ".join(draw.choices(words, weights, k=draw.randint(6, 60))) for words in languages]


def load_pool(cursor: Any, texts: list[str]) -> dict[str, int]:
    """The texts with all that the index has of them, made by the service's own functions, in a temporary table.

    Returns the versions that rows name.
    """
    from patterns.text.lexemes import pack_lexemes
    from patterns.text.tokens import TOKENISER_VERSION, count_words, tokenise
    from retrieval.embedding.types import format_vector
    from retrieval.index.embedding_models import get_configured_provider, register_model
    from retrieval.index.entries import NEIGHBOUR_CHARACTERS

    provider = get_configured_provider()
    cursor.execute(
        "CREATE TEMP TABLE pool (number int, content text, lexemes bytea, more bytea, len int, vector halfvec)"
        " ON COMMIT PRESERVE ROWS"
    )
    with cursor.copy("COPY pool FROM STDIN") as copy:
        for number, text in enumerate(texts):
            lexemes, more = pack_lexemes(tokenise(text), lent=tokenise(text[:NEIGHBOUR_CHARACTERS]))
            vector = format_vector(provider.embed_documents([text])[0])
            copy.write_row((number, text, lexemes, more, count_words(text), vector))
    cursor.execute("ALTER TABLE pool ADD PRIMARY KEY (number)")
    cursor.execute("ANALYZE pool")
    cursor.execute(
        "CREATE TEMP TABLE new (user_id uuid, conversation_id uuid, id uuid, seq int, session_no int, number int,"
        " created_at timestamptz, role text)"
    )
    return {"model": register_model(provider=provider), "tokeniser": TOKENISER_VERSION}


# In the order in which the service would have stored them: rows of a time lie side by side.
INSERTS = (
    "INSERT INTO memory_message (tenant_id, user_id, id, conversation_id, seq, content_hash, role, content, language,"
    " created_at, received_at) SELECT %(tenant)s::uuid, n.user_id, n.id, n.conversation_id, n.seq,"
    " sha256(n.id::text::bytea), n.role, p.content, 'en', n.created_at, n.created_at"
    " FROM new n JOIN pool p USING (number) ORDER BY n.id",
    "INSERT INTO message_index (tenant_id, user_id, message_id, conversation_id, seq, session_no, role, memory_type,"
    " len, created_at, received_at, tokeniser, lexemes, more_lexemes) SELECT %(tenant)s::uuid, n.user_id, n.id,"
    " n.conversation_id, n.seq, n.session_no, n.role, 'chat', p.len, n.created_at, n.created_at,"
    " %(tokeniser)s::smallint, p.lexemes, p.more FROM new n JOIN pool p USING (number)"
    " ORDER BY n.id",
    "INSERT INTO message_embedding (tenant_id, user_id, model_id, message_id, dimensions, embedding)"
    " SELECT %(tenant)s::uuid, n.user_id, %(model)s::smallint, n.id,"
    " vector_dims(p.vector), p.vector FROM new n JOIN pool p USING (number) ORDER BY n.id",
    "UPDATE memory_conversation c SET last_seq = n.seq FROM (SELECT user_id, conversation_id, max(seq) AS seq FROM new"
    " GROUP BY 1, 2) n WHERE c.user_id = n.user_id AND c.id = n.conversation_id",
)


@dataclass
class Writer:
    """One user's place in time while messages are made."""

    id: UUID
    name: str
    size: int
    conversation_id: UUID | None = None


def make_data(tenant_id: UUID, sizes: list[tuple[str, int]]) -> None:
    """Users with so many messages each, in time order: all users' first messages, all users' second ones and so on."""
    from django.db import connection

    from memory.tenants.scope import tenant_scope

    draw = random.Random(str(tenant_id))
    began, total = time.perf_counter(), sum(size for _, size in sizes)
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        raw = connection.connection.cursor()
        versions = load_pool(raw, make_texts(random.Random(7)))
        cursor.execute("SET LOCAL lock_timeout = 0")
        print(f"  {POOL} texts ready after {time.perf_counter() - began:.0f} s")
        writers = [Writer(make_id(START, draw), name, size) for name, size in sizes]
        cursor.executemany(
            "INSERT INTO memory_user (tenant_id, id, external_id, created_at) VALUES (%s, %s, %s, %s)",
            [(tenant_id, writer.id, writer.name, START) for writer in writers],
        )
        done = 0
        for portion in cut(list_messages(writers, draw), PORTION):
            conversations = [row for kind, row in portion if kind == "conversation"]
            messages = [row for kind, row in portion if kind == "message"]
            cursor.executemany(
                "INSERT INTO memory_conversation (tenant_id, user_id, id, external_id, created_at)"
                " VALUES (%s, %s, %s, %s, %s)",
                [(tenant_id, *row) for row in conversations],
            )
            raw.execute("TRUNCATE new")
            with raw.copy("COPY new FROM STDIN") as copy:
                for row in messages:
                    copy.write_row(row)
            raw.execute("ANALYZE new")
            for statement in INSERTS:
                raw.execute(statement, {"tenant": tenant_id} | versions)
            done += len(messages)
            print(f"  {done:9,} of {total:,} messages, {time.perf_counter() - began:.0f} s", end="\r", flush=True)
    print(f"\n  data made in {time.perf_counter() - began:.0f} s")


def list_messages(writers: list[Writer], draw: random.Random) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Conversations before their messages; a user of many messages writes more of them a round."""
    rounds = min(writer.size for writer in writers)
    for turn in range(rounds):
        for writer in writers:
            for place in range(writer.size * turn // rounds, writer.size * (turn + 1) // rounds):
                moment = START + timedelta(seconds=40 * place, hours=place // SESSION)
                if place % CONVERSATION == 0:
                    writer.conversation_id = make_id(moment, draw)
                    name = f"c-{place // CONVERSATION}"
                    yield "conversation", (writer.id, writer.conversation_id, name, moment)
                seq = place % CONVERSATION + 1
                role = "user" if place % 2 == 0 else "assistant"
                row = (make_id(moment, draw), seq, (seq - 1) // SESSION + 1, draw.randrange(POOL), moment, role)
                yield "message", (writer.id, writer.conversation_id, *row)


def make_id(moment: datetime, draw: random.Random) -> UUID:
    """An id that begins with its time, as the service makes them."""
    milliseconds = int(moment.timestamp() * 1000)
    return UUID(int=milliseconds << 80 | 7 << 76 | draw.getrandbits(12) << 64 | 2 << 62 | draw.getrandbits(62))


def cut(rows: Iterator[Any], size: int) -> Iterator[list[Any]]:
    """Rows in portions."""
    portion: list[Any] = []
    for row in rows:
        portion.append(row)
        if len(portion) >= size:
            yield portion
            portion = []
    if portion:
        yield portion


def prepare(options: argparse.Namespace) -> tuple[str, list[str]]:
    """The tenant's key and the names of its users; data is made unless it is there. Large users come last."""
    from django.db import connection

    from memory.errors import NotFound
    from memory.tenants.scope import tenant_scope
    from memory.tenants.selectors import get_tenant
    from memory.tenants.services.audit import SYSTEM
    from memory.tenants.services.keys import create_key
    from memory.tenants.services.tenants import create_tenant
    from memory.tenants.types import Scope

    now = datetime.now(UTC)
    try:
        tenant = get_tenant(slug=options.name)
    except NotFound:
        tenant = create_tenant(slug=options.name, name="bench", timezone="UTC", actor=SYSTEM, now=now)
    each = options.messages // options.users if options.users else 0
    sizes = [(f"u-{n}", each) for n in range(options.users)]
    sizes += [(f"large-{size}", int(size)) for size in options.large.split(",") if size]
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT external_id FROM memory_user WHERE tenant_id = %s", [tenant.id])
        known = {name for (name,) in cursor.fetchall()}
    missing = [(name, size) for name, size in sizes if name not in known]
    if missing:
        print(f"Making {sum(size for _, size in missing):,} messages of {len(missing):,} users ...")
        make_data(tenant.id, missing)
    issued = create_key(tenant=tenant, name=f"bench {now:%F %T}", scopes=[Scope.READ], actor=SYSTEM, now=now)
    return issued.secret, [name for name, _ in sizes]


def tidy() -> None:
    """Vacuum, as autovacuum does in time: an index answers alone for pages that are known to be visible."""
    import psycopg

    began = time.perf_counter()
    with psycopg.connect(os.environ["DATABASE_OWNER_URL"], autocommit=True) as owner:
        for table in ("message_index", "message_embedding", "memory_message", "memory_conversation", "memory_user"):
            owner.execute(f"VACUUM (ANALYZE) {table}")
    print(f"Tables vacuumed in {time.perf_counter() - began:.0f} s")


# --- load -----------------------------------------------------------------------------------------------------------


@dataclass
class Figures:
    """One scenario: latencies in milliseconds, requests that failed, CPU milliseconds a request by kind of process."""

    name: str
    latencies: list[float] = field(default_factory=list)
    failures: int = 0
    seconds: float = 0.0
    cpu: dict[str, float] = field(default_factory=dict)

    def say(self, floor: Figures | None) -> str:
        """One line of the table."""
        cuts = statistics.quantiles(self.latencies, n=100)
        ratio = f"{cuts[49] / statistics.median(floor.latencies):7.1f}x" if floor else ""
        cpu = f"{self.cpu.get('web', 0):8.1f}{self.cpu.get('database', 0):8.1f}"
        rate = len(self.latencies) / self.seconds
        return (
            f"{self.name:38}{rate:8.0f}/s{cuts[49]:9.1f}{cuts[94]:9.1f}{cuts[98]:9.1f}{cpu}{ratio:>9}{self.failures:6}"
        )


Ask = Callable[[random.Random], tuple[str, str, dict[str, Any] | None]]


def run(name: str, *, url: str, key: str, clients: int, requests: int, ask: Ask, warm: int = 0) -> Figures:
    """`requests` calls from so many clients, each over one connection. `warm` calls before are not counted.

    They are made beforehand: this machine works for the service while it is measured.
    """
    if warm:
        run(name, url=url, key=key, clients=clients, requests=warm, ask=ask)
    figures, lock, draw, address = Figures(name), threading.Lock(), random.Random(f"{name}{requests}"), urlsplit(url)
    calls = [ask(draw) for _ in range(requests)]
    waiting = iter([make_request(*call[:2], host=address.netloc, key=key, body=call[2]) for call in calls])
    connections = [HttpConnection(address.hostname or "127.0.0.1", address.port or 80) for _ in range(clients)]

    def work(connection: HttpConnection) -> None:
        while True:
            with lock:
                request = next(waiting, None)
            if request is None:
                return
            began = time.perf_counter()
            is_done = connection(request)
            taken = (time.perf_counter() - began) * 1000
            with lock:
                figures.latencies.append(taken)
                figures.failures += not is_done

    threads = [threading.Thread(target=work, args=(connection,)) for connection in connections]
    began, spent = time.perf_counter(), read_cpu()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures.seconds = time.perf_counter() - began
    figures.cpu = {kind: (value - spent[kind]) / requests for kind, value in read_cpu().items()}
    return figures


def read_cpu() -> dict[str, float]:
    """CPU milliseconds that web processes and database backends have spent (Linux, embedded servers)."""
    data = os.environ.get("UNDE_DATA_DIR", "")
    postmaster = Path(data, "pg", "postmaster.pid")
    root = postmaster.read_text().split()[0] if data and postmaster.exists() else ""
    mark = f"UNDE_DATA_DIR={data}\0".encode()
    spent = {"web": 0.0, "database": 0.0}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if fields[1] == root:
                spent["database"] += (int(fields[11]) + int(fields[12])) * 1000 / TICKS
            elif b"granian" in (folder / "cmdline").read_bytes() and mark in (folder / "environ").read_bytes():
                spent["web"] += (int(fields[11]) + int(fields[12])) * 1000 / TICKS
        except OSError:
            continue
    return spent


def make_asker(path: str, users: list[str], texts: list[str]) -> Ask:
    """Questions of six words that somebody used, to random users."""

    def ask(draw: random.Random) -> tuple[str, str, dict[str, Any]]:
        words = draw.choice(texts).split()
        body = {"user_id": draw.choice(users), "query": " ".join(draw.sample(words, min(6, len(words))))}
        if path == "/v1/context":
            body["conversation_id"] = "c-0"
        return "POST", path, body

    return ask


def measure(options: argparse.Namespace, key: str, users: list[str]) -> None:
    """Ask and print."""
    texts = make_texts(random.Random(7))
    usual = [name for name in users if name.startswith("u-")]
    base: dict[str, Any] = {"url": options.url, "key": key}
    count, clients = options.requests, options.clients
    heads = ("p50 ms", "p95 ms", "p99 ms")
    print(f"{'scenario':38}{'rate':>10}{''.join(f'{head:>9}' for head in heads)} CPU web  CPU db to floor  fail")
    for number in (1, clients):
        name = f"floor: GET /healthz, {number} clients"
        floor = run(name, **base, clients=number, requests=count, ask=lambda _: ("GET", "/healthz", None))
        print(floor.say(None))
        for path in ("/v1/search", "/v1/context"):
            if usual:
                figures = run(
                    f"POST {path}, {number} clients",
                    **base,
                    clients=number,
                    requests=count,
                    ask=make_asker(path, usual, texts),
                    warm=max(20, count // 10),
                )
                print(figures.say(floor), flush=True)
        for name in users[len(usual) :] if number == 1 else ():
            few = max(20, min(count, 4_000_000 // int(name.removeprefix("large-"))))
            figures = run(
                f"POST /v1/search, {name}, 1 client",
                **base,
                clients=1,
                requests=few,
                ask=make_asker("/v1/search", [name], texts),
                warm=8,
            )
            print(figures.say(floor), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1_000_000, help="over all users")
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--large", default="", help="sizes of further users, by commas")
    parser.add_argument("--requests", type=int, default=1_000, help="per scenario")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--url", default=f"http://127.0.0.1:{os.environ.get('PORT', '8000')}")
    parser.add_argument("--name", default="bench", help="slug of the tenant")
    options = parser.parse_args()
    enter()
    key, users = prepare(options)
    tidy()
    measure(options, key, users)


if __name__ == "__main__":
    main()
