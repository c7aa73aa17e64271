"""`script/test`: every check of the code, then the suite in two workers. With arguments: pytest alone with them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
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
Check = tuple[int, str, float]  # how it ended, what it said, and its seconds


def main() -> int:
    """Run them all and fail when any has failed; the last lines are pytest's own."""
    for name in (*ELSEWHERE, COMPILED_EACH_TIME, MARK, "DJANGO_SETTINGS_MODULE"):
        os.environ.pop(name, None)
    try:
        places = make_folders(paths.test_data_dir())
        share = join_servers(places, is_fast=True)
    except LaunchError as error:
        print(error, file=sys.stderr)
        return 1
    # A terminal's Ctrl-C reaches pytest itself, which still says what it has seen; we wait for it.
    signal.signal(signal.SIGINT, lambda *_: None)
    failed = [] if len(sys.argv) > 1 else _run_checks(places)
    if failed:
        print(f"\nFAILED before the tests: {', '.join(failed)}\n", flush=True)
    code = _run_pytest(sys.argv[1:] or WHOLE_SUITE)
    share.release()
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


def _run_checks(places: Folders) -> list[str]:
    """Two at a time; each says what it has to say when it is done."""
    environment = build_environment(places, wanted=Wanted(is_fast=True), urls=find_database_urls(places))
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings.test", "UNDE_ENVIRONMENT": "test"}
    checks = {
        "mypy": _module("mypy"),  # it takes as long as the others together
        "mypy of the client": _module("mypy", *CLIENTS_OWN, *OF_THE_CLIENT),
        "ruff check": _module("ruff", "check"),
        "ruff format": _module("ruff", "format", "--check"),
        "import-linter": [str(Path(sys.executable).with_name("lint-imports"))],
        "makemigrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    }
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = {pool.submit(_run_check, each, with_role(environment, "owner")): name for name, each in checks.items()}
        return [runs[run] for run in _tell_checks(pool, runs) if run.result()[0]]


def _tell_checks(pool: ThreadPoolExecutor, runs: Mapping[Future[Check], str]) -> Iterator[Future[Check]]:
    """Each as it comes to its end; none of the others begins after Ctrl-C."""
    for run in as_completed(runs):
        code, said, seconds = run.result()
        print(f"== {runs[run]}\n{said}   {seconds:.1f} s", flush=True)
        if code == -signal.SIGINT:
            pool.shutdown(wait=False, cancel_futures=True)
            sys.exit(130)
        yield run


def _run_check(command: Sequence[str], environment: Mapping[str, str]) -> Check:
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
