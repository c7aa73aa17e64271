#!/usr/bin/env python3
"""How fast is this machine just now: a Django view that does nothing, behind granian, 2 workers x 4 threads.

    .venv/bin/python bench/plain_view.py

It took 0.21 ms of CPU and answered 6,742 requests a second, best of six rounds with 8 clients, in the measurements with
which the stack was chosen, when the aims of 4,000 messages a second in batches and 400 one by one were stated. What it
takes now says how fast this machine is beside that one. `bench/service.py` measures it beside the service, in one run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from connections import HttpConnection, make_request
from load import Load, find_free_port
from processes import read_group_seconds

STATED_CPU_MS = 0.21
STATED_RATE = 6_742
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages"]
PATH = "/plain"
CLIENTS = 8
START_SECONDS = 30.0


def make_application() -> object:
    """The WSGI application: what `startproject` makes, without a database."""
    from django.conf import settings
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpRequest, JsonResponse
    from django.urls import path

    def answer(request: HttpRequest) -> JsonResponse:
        return JsonResponse({"ok": True})

    settings.configure(
        SECRET_KEY="plain" * 10,
        ALLOWED_HOSTS=["*"],
        INSTALLED_APPS=APPS,
        MIDDLEWARE=MIDDLEWARE,
        ROOT_URLCONF=(path(PATH[1:], answer),),
    )
    return get_wsgi_application()


@contextmanager
def serve_plain_view(port: int) -> Iterator[int]:
    """Run it for as long as the block lasts; the id of the process that has the workers."""
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--port", str(port), "--factory"]
    command += ["--workers", "2", "--blocking-threads", "4", "plain_view:make_application"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await_answer(port)
        yield process.pid
    finally:
        process.terminate()
        process.wait(timeout=30)


def _await_answer(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            if HttpConnection("127.0.0.1", port)(make_request("GET", PATH, host="127.0.0.1")):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def main() -> None:
    port = find_free_port()
    with serve_plain_view(port) as process:
        load = Load(CLIENTS, HttpConnection.factory("127.0.0.1", port), lambda: {"web": read_group_seconds(process)})
        rounds = [load.run("", [make_request("GET", PATH, host="127.0.0.1")] * 10_000) for _ in range(6)]
    rate = max(each.rate for each in rounds)
    cpu = min(each.cpu["web"] * 1000 / each.units for each in rounds)
    print(f"a plain view, best of six rounds: {rate:,.0f}/s, {cpu:.3f} ms of CPU")
    print(f"when the stack was chosen:        {STATED_RATE:,}/s, {STATED_CPU_MS:.3f} ms: this machine takes", end=" ")
    print(f"{cpu / STATED_CPU_MS:.2f} times the CPU now")


if __name__ == "__main__":
    main()
