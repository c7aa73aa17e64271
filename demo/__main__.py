"""`script/demo`: replay the conversation, show what each line did, and say whether it was right."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import webbrowser
from datetime import UTC, datetime
from pathlib import Path

from config.launch import paths
from demo.client import Service, ServiceUnreachable
from demo.printing import Printer
from demo.replay import Replay
from demo.script import Scene, ScriptError, load_scenes
from demo.talking import talk

PAGE_LINK_SECONDS = 3600  # time enough to read what the demo printed
CONVERSATION = Path(__file__).with_name("conversation.yaml")


def main() -> int:
    """Run the demo. 0 when it ran (with --assert: when every answer was as expected), 1 otherwise."""
    options = read_options()
    key = options.key or find_key()
    if not key:
        print_error("No API key: give --key, or start script/server on this data directory first.")
        return 1
    try:
        problems = run(options, key=key)
    except (ServiceUnreachable, ScriptError) as error:
        print_error(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read along (head, less) has seen enough; the interpreter must not stumble over it again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 1 if problems and options.has_to_hold else 0


def run(options: argparse.Namespace, *, key: str) -> int:
    """Replay the conversation with users of this run's own; how many answers were not as expected."""
    now = datetime.now(UTC)
    scenes = load_scenes(options.conversation, now=now)
    printer = Printer(sys.stdout, has_colours=sys.stdout.isatty() and not options.plain)
    with contextlib.closing(Service(url=options.url, key=key)) as service:
        if options.chat:
            return talk(service, printer=printer, suffix=f"{now:%m%d-%H%M%S}", port=options.model_port)
        replay = Replay(service=service, suffix=f"{now:%m%d-%H%M%S}", now=now)
        problems = play(scenes, replay=replay, printer=printer)
        address = show_memory_page(replay, printer)
        if options.open:
            show_pages(replay, printer)
        if options.open and address and sys.stdout.isatty():
            webbrowser.open(address)
    return problems


def read_options() -> argparse.Namespace:
    """The command line."""
    port = os.environ.get("PORT", "8000")
    parser = argparse.ArgumentParser(
        prog="script/demo",
        description="Replay ten days of a conversation in four languages against a running service (script/server), "
        "and show what was learnt, superseded, disputed, corrected, forgotten and restored. Every run has users of its "
        "own.",
    )
    parser.add_argument(
        "--url", default=f"http://127.0.0.1:{port}", help="address of the service (default: %(default)s)"
    )
    parser.add_argument("--key", default="", help="API key (default: the key of script/server)")
    parser.add_argument("--plain", action="store_true", help="without colours")
    parser.add_argument("--assert", dest="has_to_hold", action="store_true", help="fail if a result is unexpected")
    parser.add_argument("--chat", action="store_true", help="talk through /v1/chat with a scripted model instead")
    parser.add_argument(
        "--model-port", type=int, default=8766, help="port of the scripted model (default: %(default)s)"
    )
    parser.add_argument("--open", action="store_true", help="open the memory page and the console page of this user")
    parser.add_argument("--conversation", type=Path, default=CONVERSATION, help=argparse.SUPPRESS)
    return parser.parse_args()


def find_key() -> str:
    """The development key: UNDE_DEV_API_KEY, else the one in the data directory, else nothing."""
    named = os.environ.get("UNDE_DEV_API_KEY", "")
    kept = paths.data_dir() / "secrets" / "dev_api_key"
    return named or (kept.read_text().strip() if kept.exists() else "")


def play(scenes: list[Scene], *, replay: Replay, printer: Printer) -> int:
    """Carry out all steps in order and print them; returns how many answers were not as expected."""
    people = dict.fromkeys(step.person for scene in scenes for step in scene.steps)
    printer.line(f"Replaying against {replay.service.url} as {', '.join(map(replay.get_user_id, people))}")
    steps = problems = 0
    for scene in scenes:
        printer.scene(scene)
        for step in scene.steps:
            outcome = replay.run(step)
            printer.step(step, outcome)
            steps += 1
            problems += len(outcome.problems)
    printer.end(steps=steps, problems=problems)
    return problems


def show_memory_page(replay: Replay, printer: Printer) -> str | None:
    """Print the link to this run's user's own page, which works once; None where the service makes none."""
    body = {"locale": "en", "ttl_seconds": PAGE_LINK_SECONDS}
    status, link = replay.service.call("POST", f"/v1/users/{replay.get_user_id('layla')}/page-links", body)
    if status != 201:
        return None
    printer.line()
    printer.line(f"Layla's own memory page (the link works once, within the hour): {link['url']}")
    return str(link["url"])


def show_pages(replay: Replay, printer: Printer) -> None:
    """Print the console pages of this run's user and open the first in a browser where there is one."""
    user_id = find_user(replay, replay.get_user_id("layla"))
    url = replay.service.url
    pages = {"What is going on": f"{url}/admin/", "Layla's memory": f"{url}/admin/memory/user/{user_id}/"}
    printer.line()
    for title, address in pages.items():
        printer.line(f"{title}: {address}")
    printer.line("The first login is in the file that script/server named (docs/running.md).")
    if sys.stdout.isatty():
        webbrowser.open(pages["Layla's memory"])


def find_user(replay: Replay, external_id: str) -> str:
    """The service's own id of a user of this run. Raises ServiceUnreachable when the listing does not hold it."""
    after = ""
    while True:
        _, page = replay.service.call("GET", f"/v1/users?limit=100{after}")
        for user in page.get("results", []):
            if user["user_id"] == external_id:
                return str(user["id"])
        if not page.get("next"):
            raise ServiceUnreachable("The service does not list the user of this run.")
        after = f"&after={page['next']}"


def print_error(sentence: str) -> None:
    """A plain sentence on the error stream."""
    sys.stderr.write(sentence + "\n")


if __name__ == "__main__":
    sys.exit(main())
