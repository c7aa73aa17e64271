"""`script/test`: every check of the code, then the suite in two workers. With arguments: pytest alone with them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

from config.launch import paths
from config.launch.embedded.keeper import join_servers
from config.launch.embedded.servers import Wanted
from config.launch.environment import build_environment, find_database_urls, with_role
from config.launch.errors import LaunchError
from config.launch.folders import Folders, make_folders
from config.launch.processes import MARK

# The tests of a file stay together; files go to the workers in the order of collection (tests/plugin/embedded.py).
WHOLE_SUITE = ("--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder")
# Two runs at once must not write into one cache.
CLIENTS_OWN = ("--config-file", "clients/python/pyproject.toml", "--cache-dir", ".mypy_cache/client")
OF_THE_CLIENT = ("clients/python/unde_memory", "clients/python/tests/typing_of_calls.py")
LONGEST_RUN_SECONDS = 45 * 60.0  # three times as long as a slow machine takes
ELSEWHERE = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_WORKER_URL", "REDIS_URL", "CELERY_BROKER_URL")
COMPILED_EACH_TIME = "PYTHONDONTWRITEBYTECODE"  # the suite starts Python a hundred times: seconds each without bytecode
LONGEST = "mypy"  # it takes as long as the other checks together, so the tests begin while it is at work
stops: list[int] = []  # the signals by which somebody has asked for the end; not every check says that one ended it
Check = tuple[int, str, float]  # how it ended, what it said, and its seconds


def main() -> int:
    """Run them all and fail when any has failed; the end says which checks did, what they said stands further up."""
    for name in (*ELSEWHERE, COMPILED_EACH_TIME, MARK, "DJANGO_SETTINGS_MODULE"):
        os.environ.pop(name, None)
    try:
        places = make_folders(paths.test_data_dir())
        share = join_servers(places, is_fast=True)
    except LaunchError as error:
        print(error, file=sys.stderr)
        return 1
    # A terminal's Ctrl-C reaches pytest itself, which still says what it has seen; we wait for it.
    signal.signal(signal.SIGINT, lambda number, _: stops.append(number))
    code = _run_pytest(sys.argv[1:]) if len(sys.argv) > 1 else _run_everything(places)
    share.release()
    return code


def _run_everything(places: Folders) -> int:
    """The checks, two at a time, then the tests, which the longest check need not be over for."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        checks = _begin_checks(pool, places)
        wait([check for name, check in checks.items() if name != LONGEST])
        if stops:
            return 130
        code = _run_pytest(WHOLE_SUITE)
    failed = [name for name, check in checks.items() if check.result()[0]]
    if failed:
        print(f"\nFAILED beside the tests: {', '.join(failed)}\n", flush=True)
    return code or (1 if failed else 0)


def _run_pytest(arguments: Sequence[str]) -> int:
    """A run that does not come to its end is asked to say what it has seen, and fails."""
    run = subprocess.Popen([*_module("pytest"), *arguments], cwd=_folder())
    try:
        return run.wait(timeout=LONGEST_RUN_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"\nFAILED: the tests have run for {LONGEST_RUN_SECONDS / 60:.0f} minutes\n", flush=True)
    run.send_signal(signal.SIGINT)
    try:
        run.wait(timeout=60)
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()
    return 1


def _begin_checks(pool: ThreadPoolExecutor, places: Folders) -> dict[str, Future[Check]]:
    """Each says what it has to say when it is done; none of the others begins after Ctrl-C."""
    environment = build_environment(places, wanted=Wanted(is_fast=True), urls=find_database_urls(places))
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings.test", "UNDE_ENVIRONMENT": "test"}
    commands = {
        LONGEST: _module("mypy"),
        "mypy of the client": _module("mypy", *CLIENTS_OWN, *OF_THE_CLIENT),
        "ruff check": _module("ruff", "check"),
        "ruff format": _module("ruff", "format", "--check"),
        "import-linter": [str(Path(sys.executable).with_name("lint-imports"))],
        "makemigrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    }
    checks = {name: pool.submit(_run_check, each, with_role(environment, "owner")) for name, each in commands.items()}
    for name, check in checks.items():
        check.add_done_callback(partial(_tell_check, name))
    return checks


def _tell_check(name: str, check: Future[Check]) -> None:
    _, said, seconds = check.result()
    if seconds:
        print(f"== {name}\n{said}   {seconds:.1f} s", flush=True)


def _run_check(command: Sequence[str], environment: Mapping[str, str]) -> Check:
    if stops:
        return 130, "", 0.0
    started_at = time.monotonic()
    run = subprocess.run(
        command,
        cwd=paths.ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout, time.monotonic() - started_at


def _module(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", name, *arguments]


def _folder() -> Path:
    """The checkout, except when paths among the arguments count from where the person stands."""
    return Path.cwd() if len(sys.argv) > 1 and Path.cwd().is_relative_to(paths.ROOT) else paths.ROOT


if __name__ == "__main__":
    sys.exit(main())
