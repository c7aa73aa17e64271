"""How much of a reviewer's time the review queue takes for itself: items judged by keys in a real browser.

    bench/review.py --url http://127.0.0.1:8000 --password-file .data/admin-password --items 100

Wants a running server with that many instant facts of the last week (script/demo makes some) and Chromium. Every
item is judged "correct", which changes no fact. What is measured is the page's share: from the key to the next item on
the screen (request, database, drawing). How long a person thinks is theirs: 100 items in 15 minutes leave nine seconds
for each.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOOK_SECONDS = 0.17
"""The page takes no key in the first 150 ms of an item."""
# Waits in the page until another item is drawn, and says how long it took.
JUDGE = """
new Promise(done => {
  const before = document.querySelector('[data-item]')?.dataset.item;
  const begun = performance.now();
  const look = () => {
    const now = document.querySelector('[data-item]')?.dataset.item;
    if (now !== before && !document.querySelector('#review').classList.contains('is-busy'))
      requestAnimationFrame(() => done(performance.now() - begun));
    else if (performance.now() - begun > 30000) done(-1);
    else requestAnimationFrame(look);
  };
  document.dispatchEvent(new KeyboardEvent('keydown', {key: '1', code: 'Digit1', bubbles: true}));
  look();
})
"""


def main() -> int:
    """Log in, draw samples, judge them, print the times."""
    options = read_options()
    screenshots = load_screenshots()
    program = next((found for name in screenshots.BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        print("There is no Chromium here. On Debian: apt-get install chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        chromium = screenshots.Chromium(program, profile)
        try:
            browser = chromium.open_tab()
            screenshots.log_in(browser, options)
            times = judge_items(browser, options)
        finally:
            chromium.close()
    print_times(times, wanted=options.items)
    return 0 if times else 1


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--user", default="admin")
    parser.add_argument("--password-file", type=Path, default=ROOT / ".data" / "admin-password")
    parser.add_argument("--tenant", default="")
    parser.add_argument("--items", type=int, default=100)
    return parser.parse_args()


def load_screenshots() -> Any:
    """The script that knows how to speak to a browser."""
    loader = importlib.machinery.SourceFileLoader("screenshots", str(ROOT / "script" / "screenshots"))
    spec = importlib.util.spec_from_loader("screenshots", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def judge_items(browser: Any, options: argparse.Namespace) -> list[float]:
    """Milliseconds from the key to the next item, for each item until the queue is empty."""
    browser.open(f"{options.url}/admin/review/queue/?batch=100")
    draw_batch(browser)
    times: list[float] = []
    while len(times) < options.items and (has_item(browser) or draw_batch(browser)):
        time.sleep(LOOK_SECONDS)
        took = browser.run(JUDGE)
        if took is None or took < 0:
            break
        times.append(float(took))
    return times


def draw_batch(browser: Any) -> bool:
    """On an empty queue the key for the next batch; whether an item is there then."""
    if not has_item(browser):
        time.sleep(LOOK_SECONDS)
        browser.run("document.querySelector('[data-key=\"i\"]').click(); true")
        browser.settle()
    return has_item(browser)


def has_item(browser: Any) -> bool:
    """Whether an item is on the screen."""
    return bool(browser.run("!!document.querySelector('[data-item]')"))


def print_times(times: list[float], *, wanted: int) -> None:
    """Median, the slowest twentieth, and what is left of 15 minutes for looking and thinking."""
    if not times:
        print("Nothing was there to judge: the server has no instant facts of the last week.")
        return
    ordered = sorted(times)
    share = sum(times) / 1000 / len(times)
    print(f"{len(times)} of {wanted} items, from the key to the next item on the screen")
    print(f"  median {statistics.median(times):7.0f} ms")
    print(f"  p95    {ordered[int(0.95 * (len(ordered) - 1))]:7.0f} ms")
    print(f"  worst  {ordered[-1]:7.0f} ms")
    left = 9 - share
    print(f"100 items take the page {100 * share:.0f} s of 15 minutes; {left:.1f} s an item are the reviewer's")


if __name__ == "__main__":
    sys.exit(main())
