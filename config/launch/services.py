"""The processes of the service: web, worker, beat, and the preparations that run before them."""

import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from config.admission import THREADS
from config.launch import paths
from config.launch.environment import with_role
from config.launch.errors import LaunchError
from config.launch.folders import Folders
from config.launch.processes import MARK, Command
from config.launch.supervisor import Service

QUEUES = "high,normal,recovery,default"
OF_TASKS = {
    "UNDE_DB_POOL_MAX": "2",
    # The start has made Django's checks. Celery would make them again in worker and beat: that loads every page of the
    # console and of the API, and what they find is thrown away.
    "CELERY_SKIP_CHECKS": "1",
}


@dataclass(frozen=True)
class Options:
    """What the person who starts the service may choose."""

    host: str
    port: int
    web_workers: int
    task_workers: int
    has_console_logs: bool

    @property
    def address(self) -> str:
        return f"http://{self.reached_at}:{self.port}"

    @property
    def worker_name(self) -> str:
        """The worker's name, its own even when several installations share one broker."""
        return f"unde-{self.port}@{socket.gethostname()}"

    @property
    def reached_at(self) -> str:
        """The address at which this machine itself reaches the service."""
        return "127.0.0.1" if self.host in ("", "0.0.0.0", "::") else self.host


def read_options() -> Options:
    """The choices in the environment. Raises LaunchError for a value that is none."""
    return Options(
        host=os.environ.get("UNDE_HOST", "").strip() or "127.0.0.1",
        port=_read_number("PORT", default=8000, most=65535),
        web_workers=_read_number("WEB_CONCURRENCY", default=2, most=64),
        task_workers=_read_number("UNDE_WORKER_CONCURRENCY", default=2, most=64),
        has_console_logs=os.environ.get("UNDE_CONSOLE_LOGS", "") not in ("", "0"),
    )


def list_services(places: Folders, *, options: Options, environment: Mapping[str, str]) -> list[Service]:
    """Web, worker and beat, not started."""
    worker_environment = with_role(environment, "worker") | OF_TASKS
    arguments = {"web": _web_arguments(options), "worker": _worker_arguments(options), "beat": _beat_arguments()}
    environments = {"web": environment, "worker": worker_environment, "beat": worker_environment}
    # A worker finishes the task that it has begun; whatever needs longer is claimed again later.
    stop_seconds = {"web": 15.0, "worker": 60.0, "beat": 10.0}
    return [
        Service(
            name=name,
            command=build_command(places, arguments[name], environments[name]),
            log=None if options.has_console_logs else places.log / f"{name}.log",
            stop_seconds=stop_seconds[name],
        )
        for name in ("web", "worker", "beat")
    ]


def build_command(places: Folders, arguments: list[str], environment: Mapping[str, str]) -> Command:
    """A command of ours in this Python, marked as belonging to this data directory."""
    return Command(
        arguments=[sys.executable, *arguments],
        environment={**environment, MARK: str(places.data)},
        folder=paths.ROOT,
    )


def _web_arguments(options: Options) -> list[str]:
    arguments = ["-m", "granian", "--interface", "wsgi", "--no-ws", "--host", options.host, "--port", str(options.port)]
    arguments += ["--workers", str(options.web_workers), "--blocking-threads", str(THREADS)]
    # One killed worker is replaced without taking the others down.
    arguments += ["--respawn-failed-workers", "--respawn-interval", "0.5", "--workers-kill-timeout", "10"]
    arguments += ["--log-config", str(paths.ROOT / "config" / "launch" / "web_logs.json")]
    return [*arguments, "config.wsgi:application"]


def _worker_arguments(options: Options) -> list[str]:
    # Quiet: no banner between the lines of JSON.
    arguments = ["-m", "celery", "-q", "-A", "config", "worker", "--loglevel", "INFO", "-Q", QUEUES]
    arguments += ["--hostname", options.worker_name]
    return [*arguments, "--concurrency", str(options.task_workers), "--without-gossip", "--without-mingle"]


def _beat_arguments() -> list[str]:
    # No pid file: a stale one would stop the next start, and the launcher's lock already says that there is one beat.
    scheduler = "django_celery_beat.schedulers:DatabaseScheduler"
    return ["-m", "celery", "-q", "-A", "config", "beat", "--loglevel", "INFO", "--scheduler", scheduler, "--pidfile="]


def _read_number(name: str, *, default: int, most: int) -> int:
    value = os.environ.get(name, "").strip() or str(default)
    if not value.isdigit() or not 1 <= int(value) <= most:
        raise LaunchError(f"{name} must be a number from 1 to {most}; it is {value!r}.")
    return int(value)


def empty_folder(folder: Path) -> None:
    """Make a folder of files, or take the files of an earlier life out of it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for entry in folder.iterdir():
        entry.unlink()
