#!/usr/bin/env python3
"""Load on a running service over HTTP: single messages, batches, search and context, from several clients at once.

    script/server &            # in another terminal
    .venv/bin/python bench/service.py --url http://127.0.0.1:8000 --key "$UNDE_DEV_API_KEY" --data .data

Every run makes users of its own. A row is the median and the highest rate of the rounds, p50 and p95 in milliseconds,
and p50 beside two floors of the same run: `GET /healthz` with as many clients (what HTTP costs here and now) and, with
`--data`, the statements of a message sent by psycopg alone (what the database costs). Quote the ratios, not the
absolute numbers. With `--data`, the data directory of a service on this machine, a row also says how many milliseconds
of CPU a unit took in web workers, database and this client: of all figures the one that other work on the machine
disturbs least. The last line is a Django view that does nothing (`plain_view.py`): how fast the machine is just now,
beside how fast it was when the aims were stated.
"""

from __future__ import annotations

import argparse
import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from connections import HttpConnection, make_request
from load import Figures, Load, find_free_port
from plain_view import PATH, STATED_CPU_MS, STATED_RATE, serve_plain_view
from processes import read_cpu_seconds, read_group_seconds
from statements import SqlConnection, list_message_statements
from talk import WORDS, make_soup, make_talk

PLAIN_REQUESTS = 4_000
SINGLE = "POST /v1/messages"


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
    parser.add_argument("--rounds", type=int, default=6, help="all scenarios in turn, so many times")
    parser.add_argument("--soup", action="store_true", help="words that rules listen for instead of what people write")
    return parser.parse_args()


def list_scenarios(options: argparse.Namespace) -> Iterator[tuple[str, Load, Callable[[], Sequence[Any]], int]]:
    """Of each scenario its name, how it is run, what makes the requests of a round, and what a request does. First
    the two floors, the second with `--data` alone."""
    address = urlsplit(options.url)
    data = options.data.resolve() if options.data else None
    requests = Requests(address.netloc, options.key, options.users, make_soup if options.soup else make_talk)
    # A round of all scenarios is a part of what was asked for.
    n, clients = max(1, options.requests // options.rounds), options.clients

    def over_http(count: int) -> Load:
        return Load(count, HttpConnection.factory(address.hostname or "", address.port or 80), read_seconds)

    def read_seconds() -> dict[str, float]:
        return read_cpu_seconds(data)

    yield "floor: GET /healthz", over_http(clients), lambda: requests.list_healthz(n), 1
    if data is not None:
        in_sql = Load(clients, SqlConnection.factory(data), read_seconds)
        yield "floor: a message's SQL", in_sql, lambda: list_message_statements(data, count=max(clients, n // 4)), 1
    yield SINGLE, over_http(clients), lambda: requests.list_messages(n), 1
    for users in (1, 4, 40):
        make = partial(requests.list_batches, max(n // 40, 2 * clients), size=100, users=users)
        yield f"POST /v1/messages/batch (100 of {users})", over_http(clients), make, 100
    search = partial(requests.list_questions, path="/v1/search")
    yield "POST /v1/search, 1 client", over_http(1), lambda: search(max(10, n // 4)), 1
    yield "POST /v1/search, 4 clients", over_http(4), lambda: search(max(10, n // 2)), 1
    context = partial(requests.list_questions, path="/v1/context", conversation_id="c")
    yield "POST /v1/context, 4 clients", over_http(4), lambda: context(max(10, n // 2)), 1


def run_rounds(options: argparse.Namespace) -> tuple[Figures, list[Figures]]:
    """All scenarios in turn, as often as was asked for: the plain view, and the rest."""
    scenarios = list(list_scenarios(options))
    warm_up = next(each for each in scenarios if each[0] == SINGLE)
    warm_up[1].run("", warm_up[2]())
    plain, rows = Figures("floor: a plain Django view"), [Figures(name) for name, *_ in scenarios]
    port = find_free_port()
    with serve_plain_view(port) as process:
        beside = Load(
            options.clients,
            HttpConnection.factory("127.0.0.1", port),
            lambda: {"web": read_group_seconds(process), "database": 0.0, "client": 0.0},
        )
        for _ in range(options.rounds):
            plain.add(beside.run("", [make_request("GET", PATH, host="127.0.0.1")] * PLAIN_REQUESTS))
            for row, (name, load, make_requests, units) in zip(rows, scenarios, strict=True):
                row.add(load.run(name, make_requests(), units=units))
    return plain, rows


def main() -> None:
    plain, rows = run_rounds(read_options())
    floors = [row for row in rows if row.name.startswith("floor")]
    kinds = "".join(f"{kind:>9}" for kind in rows[0].cpu)
    names = "".join(f"{name:>10}" for name in ("to http", "to sql")[: len(floors)])
    print(f"{'scenario':36}{'median':>10}{'highest':>10}{'p50 ms':>9}{'p95 ms':>9}{kinds}{names}{'fail':>6}")
    for row in rows:
        print(row.say(floors))
    spent = plain.cpu["web"] * 1000 / plain.units
    print(f"{plain.name}: {max(plain.rates):,.0f}/s, {spent:.2f} ms of CPU, {spent / STATED_CPU_MS:.1f} times as much")
    print(f"as in the measurements with which the stack was chosen ({STATED_RATE:,}/s, {STATED_CPU_MS} ms).")


if __name__ == "__main__":
    main()
