"""Load by several clients at once, and what came of it: rates, latencies, CPU by kind of process."""

from __future__ import annotations

import socket
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Send = Callable[[Any], bool]
"""Sends one prepared request on a connection of its own; False when the answer was a failure."""


@dataclass
class Figures:
    """One scenario: latencies in seconds, what was done in how long, CPU seconds by kind of process, and the rate of
    each round."""

    name: str
    seconds: float = 0.0
    units: int = 0
    latencies: list[float] = field(default_factory=list)
    failures: int = 0
    cpu: dict[str, float] = field(default_factory=dict)
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Units a second over all rounds."""
        return self.units / self.seconds

    def add(self, other: Figures) -> None:
        """Another round of the same scenario."""
        self.seconds += other.seconds
        self.units += other.units
        self.latencies += other.latencies
        self.failures += other.failures
        self.cpu = {kind: self.cpu.get(kind, 0.0) + seconds for kind, seconds in other.cpu.items()}
        self.rates.append(other.rate)

    def say(self, floors: Sequence[Figures]) -> str:
        """One line of the table."""
        cut = statistics.quantiles(self.latencies, n=100) if len(self.latencies) > 1 else [0.0] * 99
        p50, p95 = cut[49] * 1000, cut[94] * 1000
        ratios = "".join(f"{p50 / (statistics.median(floor.latencies) * 1000):9.1f}x" for floor in floors)
        spent = "".join(f"{seconds * 1000 / max(1, self.units):9.3f}" for seconds in self.cpu.values())
        rates = f"{statistics.median(self.rates):8.0f}/s{max(self.rates):8.0f}/s"
        return f"{self.name:36}{rates}{p50:9.1f}{p95:9.1f}{spent}{ratios}{self.failures:6}"


@dataclass(frozen=True)
class Load:
    """How a scenario is run: by how many clients, each with what connection; where the service's processes are."""

    clients: int
    connect: Callable[[], Send]
    read_seconds: Callable[[], dict[str, float]]

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
        before, begun = self.read_seconds(), time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        figures.seconds = time.perf_counter() - begun
        after = self.read_seconds()
        figures.cpu = {kind: after[kind] - before[kind] for kind in after}
        return figures


def find_free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
