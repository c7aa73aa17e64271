"""`script/test`: every check of the code, then the suite in two workers. With arguments: pytest alone with them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
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
OF_THE_CLIENT = ("clients/python/unde_memory", "clients/python/tests/typing_of_calls.py")
LONGEST_RUN_SECONDS = 45 * 60.0  # three times as long as a slow machine takes
ELSEWHERE = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_WORKER_URL", "REDIS_URL", "CELERY_BROKER_URL")
COMPILED_EACH_TIME = "PYTHONDONTWRITEBYTECODE"  # the suite starts Python a hundred times: seconds each without bytecode


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
    environment = build_environment(places, wanted=Wanted(is_fast=True), urls=find_database_urls(places))
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings.test", "UNDE_ENVIRONMENT": "test"}
    checks = {
        "ruff check": _module("ruff", "check"),
        "ruff format": _module("ruff", "format", "--check"),
        "mypy": _module("mypy"),
        "mypy of the client": _module("mypy", "--config-file", "clients/python/pyproject.toml", *OF_THE_CLIENT),
        "import-linter": [str(Path(sys.executable).with_name("lint-imports"))],
        "makemigrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    }
    failed = []
    for name, command in checks.items():
        started_at = time.monotonic()
        print(f"== {name}", flush=True)
        code = subprocess.run(command, cwd=paths.ROOT, env=with_role(environment, "owner"), check=False).returncode
        if code == -signal.SIGINT:
            sys.exit(130)
        failed += [name] if code else []
        print(f"   {time.monotonic() - started_at:.1f} s", flush=True)
    return failed


def _module(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", name, *arguments]


def _folder() -> Path:
    """The checkout, except when paths among the arguments count from where the person stands."""
    return Path.cwd() if len(sys.argv) > 1 and Path.cwd().is_relative_to(paths.ROOT) else paths.ROOT


if __name__ == "__main__":
    sys.exit(main())
