#!/usr/bin/env python3
"""Two services in turn, round by round: the speed of a machine that others use changes, what a pair shares does not.

    script/server &            # of one state; of the other in a second clone, with another PORT and UNDE_DATA_DIR
    .venv/bin/python bench/pairs.py --key "$UNDE_DEV_API_KEY" \\
        --before http://127.0.0.1:8000,../before/.data --now http://127.0.0.1:8001,.data

A row is one kind of request: for either state the median and highest rate and the median CPU in milliseconds of a
message (web workers / database), and the medians of the pairs' ratios. The first round of either is not counted.
Give both services the same past: an old process is dearer than one that has just begun, a database that grows than one
that writes over its log.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from connections import HttpConnection
from load import Figures, Load
from processes import read_cpu_seconds
from service import Requests
from talk import make_talk

BATCH = 100


class Side:
    """One of the two services, and what it is sent."""

    def __init__(self, place: str, *, key: str, clients: int) -> None:
        url, _, data = place.partition(",")
        address = urlsplit(url)
        connect = HttpConnection.factory(address.hostname or "", address.port or 80)
        self._requests = Requests(address.netloc, key, 200, make_talk)
        self._load = Load(clients, connect, partial(read_cpu_seconds, Path(data).resolve()))

    def run(self, users: int, batches: int) -> Figures:
        """One round of batches of so many users each; single messages where `users` is 0."""
        if users == 0:
            return self._load.run("single", self._requests.list_messages(batches * BATCH // 5))
        return self._load.run("batch", self._requests.list_batches(batches, size=BATCH, users=users), units=BATCH)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, metavar="URL,DATA")
    parser.add_argument("--now", required=True, metavar="URL,DATA")
    parser.add_argument("--key", required=True, help="API key of both with the scope write")
    parser.add_argument("--users", type=int, nargs="+", default=[1, 4, 40], help="of a batch; 0: one message a request")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--batches", type=int, default=40, help="of a round")
    parser.add_argument("--clients", type=int, default=8)
    return parser.parse_args()


def measure(round_figures: Figures) -> tuple[float, float, float]:
    """Rate, and milliseconds of CPU of a message in web workers and database."""
    spent = [round_figures.cpu[kind] * 1000 / max(1, round_figures.units) for kind in ("web", "database")]
    return round_figures.units / round_figures.seconds, spent[0], spent[1]


def say(users: int, before: Sequence[tuple[float, float, float]], now: Sequence[tuple[float, float, float]]) -> str:
    """One line of the table."""
    states = "".join(
        f"{median(rates):9.0f}{max(rates):8.0f}{median(web):8.3f}{median(database):7.3f}"
        for rates, web, database in (zip(*side, strict=True) for side in (before, now))
    )
    pairs = [[new / old for old, new in zip(*pair, strict=True)] for pair in zip(before, now, strict=True)]
    return f"{users:5}{states}" + "".join(f"{median(ratios):8.2f}" for ratios in zip(*pairs, strict=True))


def main() -> None:
    options = read_options()
    sides = [Side(place, key=options.key, clients=options.clients) for place in (options.before, options.now)]
    heads = "".join(f"{state:>9}{'highest':>8}{'web':>8}{'db':>7}" for state in ("before", "now"))
    print(f"users{heads}{'rate':>8}{'web':>8}{'db':>8}")
    for users in options.users:
        found: list[list[tuple[float, float, float]]] = [[], []]
        for number in range(options.rounds + 1):
            for which in (0, 1) if number % 2 else (1, 0):  # neither is always the first
                figures = sides[which].run(users, options.batches)
                if number:
                    found[which].append(measure(figures))
        print(say(users, *found), flush=True)


if __name__ == "__main__":
    main()
