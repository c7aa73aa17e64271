"""Makes the client over threads from the one over asyncio: the same lines without waiting.

python scripts/make_sync.py           write
python scripts/make_sync.py --check   fail when what is there is something else
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "unde_memory"
WORDS = (
    (r"\basync_(client|user)", r"sync_\1"),
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"\bAsync(Memory|User|Session|Client)\b", r"\1"),
    (r"\bAsyncGenerator\[(.+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsyncGenerator\b", "Generator"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\b(aclose|aread|aclosing)\b", lambda found: found[0][1:]),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"^import asyncio\nimport itertools$", "import itertools\nimport time"),
    (r"over asyncio(.*?)\. [^\"]*", r"over threads\1. Made from the file of `async_` by name: change that one."),
)


def translate(text: str) -> str:
    """The text of an asynchronous module as its twin."""
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text, flags=re.MULTILINE)  # type: ignore[call-overload]
    return text


def main() -> int:
    """Write the twins, or with --check say which are not what they should be."""
    stale = []
    for source in sorted(PACKAGE.glob("async_*.py")):
        target, text = PACKAGE / source.name.removeprefix("a"), translate(source.read_text(encoding="utf-8"))
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(target.name)
        if "--check" not in sys.argv:
            target.write_text(text, encoding="utf-8")
    sys.stdout.write("".join(f"{name}\n" for name in stale))
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
