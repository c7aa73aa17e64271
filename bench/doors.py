"""What the door of MCP costs over REST, against a running service:

    UNDE_URL=http://127.0.0.1:8000 UNDE_DEV_API_KEY=... .venv/bin/python bench/doors.py

The same questions of one user, in turn through `/v1/context` and the tool `get_context`, and through `/v1/search` and
`search_memory`, over connections that stay open. Prints medians in milliseconds, the median of the pairs' differences
and of their ratios. Writes messages of a user of its own.
"""

import os
import statistics
import time
import uuid
from collections.abc import Callable
from typing import Any

import httpx

URL = os.environ.get("UNDE_URL", "http://127.0.0.1:8000")
KEY = os.environ["UNDE_DEV_API_KEY"]
USER = f"bench-doors-{uuid.uuid4().hex[:8]}"
PAIRS, WARM_UP, MESSAGES = 200, 20, 200
TEXTS = ("my size is M", "I am allergic to nickel", "the black dress of the second photo", "Спасибо, посмотрю")


def main() -> None:
    """Fill a user, ask in turn, print."""
    http = httpx.Client(base_url=URL, headers={"Authorization": f"Bearer {KEY}", "X-UNDE-User": USER}, timeout=60)
    rows = [
        {"user_id": USER, "conversation_id": "c", "role": "user", "content": f"{TEXTS[n % len(TEXTS)]}, take {n}"}
        for n in range(MESSAGES)
    ]
    http.post("/v1/messages/batch", json={"messages": rows}).raise_for_status()
    context = {"user_id": USER, "conversation_id": "c", "query": "what should I wear?"}
    search = {"user_id": USER, "query": "black dress", "top_k": 8}
    compare(
        "context",
        lambda: post(http, "/v1/context", context),
        lambda: use(http, "get_context", {"query": context["query"], "conversation_id": "c"}),
    )
    compare(
        "search",
        lambda: post(http, "/v1/search", search),
        lambda: use(http, "search_memory", {"query": search["query"], "limit": 8}),
    )


def post(http: httpx.Client, path: str, body: Any) -> None:
    """One call over REST."""
    http.post(path, json=body).raise_for_status()


def use(http: httpx.Client, tool: str, arguments: Any) -> None:
    """One call of a tool."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    answer = http.post("/mcp", json=call, headers=headers).raise_for_status().json()
    assert not answer["result"].get("isError"), answer


def compare(name: str, rest: Callable[[], None], mcp: Callable[[], None]) -> None:
    """In turn, so that what else the machine does meets both."""
    pairs = [(measure(rest), measure(mcp)) for _ in range(WARM_UP + PAIRS)][WARM_UP:]
    plain, tool = (statistics.median(values) for values in zip(*pairs, strict=True))
    more = statistics.median(other - one for one, other in pairs)
    ratio = statistics.median(other / one for one, other in pairs)
    print(f"{name}: REST {plain:.1f} ms, MCP {tool:.1f} ms, {more:+.1f} ms a pair, ratio {ratio:.2f}")


def measure(call: Callable[[], None]) -> float:
    """Milliseconds of a call."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
