"""Whether the service would answer its first request, and whether a worker would do its first task."""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from config.launch.errors import LaunchError
from config.launch.services import Options

PAGES = ("/healthz", "/readyz")


@dataclass
class Readiness:
    """Remembers what has been seen up, and in `missing` what has not; ask again until `is_complete`."""

    options: Options
    environment: Mapping[str, str]
    missing: str = "the web process"
    has_web: bool = False
    has_worker: bool = False

    def is_complete(self) -> bool:
        """Look once at what is not up yet."""
        self.has_web = self.has_web or self._find_web()
        if self.has_web and not self.has_worker:
            self.missing = "a worker"
            self.has_worker = self._find_worker()
        return self.has_web and self.has_worker

    def _find_web(self) -> bool:
        for page in PAGES:
            status, body = self._fetch(page)
            if status != 200:
                self.missing = f"{page} (status {status or 'none'}) {body}".strip()
                return False
        return True

    def _fetch(self, page: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.options.reached_at, self.options.port, timeout=10)
        try:
            connection.request("GET", page, headers={"Host": _name_host(self.environment, self.options)})
            response = connection.getresponse()
            return response.status, response.read(500).decode(errors="replace")
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def _find_worker(self) -> bool:
        # In a process of its own: the launcher stays small and free of the threads of a client library.
        command = [sys.executable, "-m", "celery", "-b", self.environment["CELERY_BROKER_URL"]]
        command += ["inspect", "ping", "--destination", self.options.worker_name, "--timeout", "2"]
        asked = subprocess.run(command, env=dict(self.environment), capture_output=True, timeout=60, check=False)
        return asked.returncode == 0


def check_port(options: Options) -> None:
    """Raises LaunchError when the address cannot be listened on; found early, before anything is started."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((options.host, options.port))
        except OSError as error:
            raise LaunchError(
                f"Port {options.port} of {options.host} cannot be used: {os.strerror(error.errno or 0)}. "
                "Set PORT to a free port."
            ) from None


def _name_host(environment: Mapping[str, str], options: Options) -> str:
    """A host name that the service's ALLOWED_HOSTS accepts."""
    first = environment.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    return first if first and first != "*" else f"{options.reached_at}:{options.port}"
