#!/usr/bin/env python3
"""Load on a running service over HTTP: single messages, batches, search and context, from several clients at once.

    script/server &            # in another terminal
    .venv/bin/python bench/service.py --url http://127.0.0.1:8000 --key "$UNDE_DEV_API_KEY"

Every run makes users of its own. Figures are printed as requests (or messages) a second and as p50 / p95 in
milliseconds, each beside the floor of the same run: `GET /healthz` with as many clients, which is what the HTTP layer
costs on this machine at this moment. Quote the ratios, not the absolute numbers.
"""

from __future__ import annotations

import argparse
import random
import statistics
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

# fmt: off
WORDS = [
    "платье", "размер", "свадьба", "зимой", "пальто", "шерсть", "бюджет", "туфли", "показать", "красное", "вечер",
    "dress", "size", "wedding", "winter", "coat", "wool", "budget", "shoes", "show", "red", "evening", "linen",
    "summer", "office", "party", "فستان", "مقاس", "عرس", "شتاء", "صوف", "ميزانية", "حذاء", "احمر", "مساء", "كتان",
    "صيف", "مكتب", "7afla", "fustan", "ma2as", "3irs", "wayed", "7ilu", "abi", "shay", "el", "yom", "bukra",
]
# fmt: on


@dataclass
class Figures:
    """Latencies of one scenario in seconds, and what was done in how long."""

    name: str
    seconds: float = 0.0
    units: int = 0
    latencies: list[float] = field(default_factory=list)
    failures: int = 0

    def say(self, floor: Figures | None) -> str:
        """One line of the table."""
        cut = statistics.quantiles(self.latencies, n=100) if len(self.latencies) > 1 else [0.0] * 99
        p50, p95 = cut[49] * 1000, cut[94] * 1000
        ratio = "" if floor is None else f"{p50 / (statistics.median(floor.latencies) * 1000):8.1f}x"
        rate = self.units / self.seconds
        return f"{self.name:34}{rate:10.0f}/s{p50:9.1f}{p95:9.1f}{ratio:>10}{self.failures:6}"


def make_text(rng: random.Random) -> str:
    """A made-up chat message in the four languages of the product, 4 to 24 words."""
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(4, 24)))


def run(
    name: str, clients: int, requests: int, send: Callable[[httpx.Client, random.Random, int], int], base: dict
) -> Figures:
    """`requests` calls spread over `clients` threads; `send` returns the units that one call did (0 = failed)."""
    figures, lock, counter = Figures(name), threading.Lock(), iter(range(requests))

    def work(number: int) -> None:
        rng = random.Random(number)
        with httpx.Client(**base) as client:
            while (i := next_or_none()) is not None:
                begun = time.perf_counter()
                units = send(client, rng, i)
                taken = time.perf_counter() - begun
                with lock:
                    figures.latencies.append(taken)
                    figures.units += units
                    figures.failures += not units

    def next_or_none() -> int | None:
        with lock:
            return next(counter, None)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures.seconds = time.perf_counter() - begun
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--key", required=True, help="API key with the scopes write and read")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--requests", type=int, default=1600, help="single messages; the other scenarios scale from it")
    parser.add_argument("--users", type=int, default=40)
    options = parser.parse_args()
    base = {"base_url": options.url, "headers": {"Authorization": f"Bearer {options.key}"}, "timeout": 60}
    mark = uuid.uuid4().hex[:8]

    def body(rng: random.Random) -> dict:
        user = f"bench-{mark}-{rng.randrange(options.users)}"
        return {"user_id": user, "conversation_id": "c", "role": "user", "content": make_text(rng)}

    def post(
        path: str, make: Callable[[random.Random], dict], units: int
    ) -> Callable[[httpx.Client, random.Random, int], int]:
        def send(client: httpx.Client, rng: random.Random, _: int) -> int:
            return units if client.post(path, json=make(rng)).status_code in (200, 201) else 0

        return send

    def ask(rng: random.Random) -> dict:
        return {"user_id": f"bench-{mark}-{rng.randrange(options.users)}", "query": " ".join(rng.sample(WORDS, 4))}

    n, clients = options.requests, options.clients
    floor = run("floor: GET /healthz", clients, n, lambda c, _r, _i: int(c.get("/healthz").status_code == 200), base)
    rows = [
        run("POST /v1/messages", clients, n, post("/v1/messages", body, 1), base),
        run(
            "POST /v1/messages/batch (100)",
            clients,
            max(n // 40, clients),
            post("/v1/messages/batch", lambda rng: {"messages": [body(rng) for _ in range(100)]}, 100),
            base,
        ),
        run("POST /v1/search, 1 client", 1, n // 4, post("/v1/search", ask, 1), base),
        run("POST /v1/search, 4 clients", 4, n // 2, post("/v1/search", ask, 1), base),
        run(
            "POST /v1/context, 4 clients",
            4,
            n // 2,
            post("/v1/context", lambda r: {**ask(r), "conversation_id": "c"}, 1),
            base,
        ),
    ]
    print(f"{'scenario':34}{'rate':>12}{'p50 ms':>9}{'p95 ms':>9}{'to floor':>10}{'fail':>6}")
    print(floor.say(None))
    for row in rows:
        print(row.say(floor))


if __name__ == "__main__":
    main()
