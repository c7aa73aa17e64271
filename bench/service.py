#!/usr/bin/env python3
"""Load on a running service over HTTP: single messages, batches, search and context, from several clients at once.

    script/server &            # in another terminal
    .venv/bin/python bench/service.py --url http://127.0.0.1:8000 --key "$UNDE_DEV_API_KEY" --data .data

Every run makes users of its own. A row is the rate, p50 and p95 in milliseconds, and p50 beside two floors of the same
run: `GET /healthz` with as many clients (what HTTP costs here and now) and, with `--data`, the statements of a message
sent by psycopg alone (what the database costs). Quote the ratios, not the absolute numbers. With `--data`, the data
directory of a service on this machine, a row also says how many milliseconds of CPU a unit took in web workers,
database and this client: of all figures the one that other work on the machine disturbs least.
"""

from __future__ import annotations

import argparse
import random
import statistics
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from connections import HttpConnection, make_request
from processes import read_cpu_seconds
from statements import SqlConnection, list_message_statements
from talk import WORDS, make_soup, make_talk

Send = Callable[[Any], bool]
"""Sends one prepared request on a connection of its own; False when the answer was a failure."""


@dataclass
class Figures:
    """One scenario: latencies in seconds, what was done in how long, CPU seconds by kind of process."""

    name: str
    seconds: float = 0.0
    units: int = 0
    latencies: list[float] = field(default_factory=list)
    failures: int = 0
    cpu: dict[str, float] = field(default_factory=dict)

    def say(self, floors: Sequence[Figures]) -> str:
        """One line of the table."""
        cut = statistics.quantiles(self.latencies, n=100) if len(self.latencies) > 1 else [0.0] * 99
        p50, p95 = cut[49] * 1000, cut[94] * 1000
        ratios = "".join(f"{p50 / (statistics.median(floor.latencies) * 1000):9.1f}x" for floor in floors)
        spent = "".join(f"{seconds * 1000 / max(1, self.units):9.3f}" for seconds in self.cpu.values())
        rate = self.units / self.seconds
        return f"{self.name:36}{rate:8.0f}/s{p50:9.1f}{p95:9.1f}{spent}{ratios}{self.failures:6}"


@dataclass(frozen=True)
class Load:
    """How a scenario is run: by how many clients, each with what connection; where the service's processes are."""

    clients: int
    connect: Callable[[], Send]
    data: Path | None

    def run(self, name: str, requests: Sequence[Any], *, units: int = 1) -> Figures:
        """All requests once, each by the next free client. A request does `units`."""
        figures, lock, waiting = Figures(name), threading.Lock(), iter(requests)

        # Kept until the end: with its connection a backend of the database would go, and its time with it.
        senders = [self.connect() for _ in range(self.clients)]

        def work(send: Send) -> None:
            while (request := take()) is not None:
                begun = time.perf_counter()
                is_done = send(request)
                taken = time.perf_counter() - begun
                with lock:
                    figures.latencies.append(taken)
                    figures.units += units * is_done
                    figures.failures += not is_done

        def take() -> Any:
            with lock:
                return next(waiting, None)

        threads = [threading.Thread(target=work, args=(send,)) for send in senders]
        before, begun = read_cpu_seconds(self.data), time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        figures.seconds = time.perf_counter() - begun
        after = read_cpu_seconds(self.data)
        figures.cpu = {kind: after[kind] - before[kind] for kind in after}
        return figures


@dataclass
class Requests:
    """Prepared bytes of every scenario: making them costs the client nothing while it measures."""

    host: str
    key: str
    users: int
    make_text: Callable[[random.Random], str]
    mark: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    source: random.Random = field(default_factory=lambda: random.Random(7))

    def name_user(self) -> str:
        return f"bench-{self.mark}-{self.source.randrange(self.users)}"

    def make_message(self, user: str | None = None) -> dict[str, Any]:
        content = self.make_text(self.source)
        client_id = uuid.uuid4().hex
        return {
            "user_id": user or self.name_user(),
            "conversation_id": "c",
            "role": "user",
            "content": content,
            "id": client_id,
        }

    def list_healthz(self, count: int) -> list[bytes]:
        return [make_request("GET", "/healthz", host=self.host)] * count

    def list_messages(self, count: int) -> list[bytes]:
        return [self._post("/v1/messages", self.make_message()) for _ in range(count)]

    def list_batches(self, count: int, *, size: int, users: int) -> list[bytes]:
        """Batches whose messages are of so many users, in runs, as a gateway or an import sends them."""
        return [
            self._post("/v1/messages/batch", {"messages": list(self._make_batch(size, users))}) for _ in range(count)
        ]

    def _make_batch(self, size: int, users: int) -> Iterator[dict[str, Any]]:
        chosen = [self.name_user() for _ in range(users)]
        for place in range(size):
            yield self.make_message(chosen[place * users // size])

    def list_questions(self, count: int, path: str, **more: str) -> list[bytes]:
        return [
            self._post(path, {"user_id": self.name_user(), "query": " ".join(self.source.sample(WORDS, 4)), **more})
            for _ in range(count)
        ]

    def _post(self, path: str, body: dict[str, Any]) -> bytes:
        return make_request("POST", path, host=self.host, key=self.key, body=body)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--key", required=True, help="API key with the scopes write and read")
    parser.add_argument("--data", type=Path, help="data directory of the service: CPU figures and the floor in SQL")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--requests", type=int, default=2000, help="single messages; the other scenarios scale from it")
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--soup", action="store_true", help="words that rules listen for instead of what people write")
    return parser.parse_args()


def main() -> None:
    options = read_options()
    address = urlsplit(options.url)
    data = options.data.resolve() if options.data else None
    requests = Requests(address.netloc, options.key, options.users, make_soup if options.soup else make_talk)
    n, clients = options.requests, options.clients

    def over_http(count: int) -> Load:
        return Load(count, HttpConnection.factory(address.hostname or "", address.port or 80), data)

    load = over_http(clients)
    load.run("warm-up", requests.list_messages(clients * 10))
    floors = [load.run("floor: GET /healthz", requests.list_healthz(n))]
    if data is not None:
        statements = list_message_statements(data, count=n // 4)
        floors.append(Load(clients, SqlConnection.factory(data), data).run("floor: a message's SQL", statements))
    rows = [load.run("POST /v1/messages", requests.list_messages(n))]
    for users in (1, 4, 40):
        batches = requests.list_batches(max(n // 40, 2 * clients), size=100, users=users)
        rows.append(load.run(f"POST /v1/messages/batch (100 of {users})", batches, units=100))
    rows += [
        over_http(1).run("POST /v1/search, 1 client", requests.list_questions(n // 4, "/v1/search")),
        over_http(4).run("POST /v1/search, 4 clients", requests.list_questions(n // 2, "/v1/search")),
        over_http(4).run(
            "POST /v1/context, 4 clients", requests.list_questions(n // 2, "/v1/context", conversation_id="c")
        ),
    ]
    kinds = "".join(f"{kind:>9}" for kind in floors[0].cpu)
    names = "".join(f"{name:>10}" for name in ("to http", "to sql")[: len(floors)])
    print(f"{'scenario':36}{'rate':>10}{'p50 ms':>9}{'p95 ms':>9}{kinds}{names}{'fail':>6}")
    for row in [*floors, *rows]:
        print(row.say(floors))


if __name__ == "__main__":
    main()
