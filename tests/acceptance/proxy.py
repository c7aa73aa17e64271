"""The documented proxy on addresses of this machine (ops/nginx)."""

import shutil
import ssl
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.service_process import find_free_port, wait_until

FOLDER = Path(__file__).resolve().parents[2] / "ops" / "nginx"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


@dataclass(frozen=True)
class Proxy:
    """A running nginx; `port` speaks TLS, with a certificate that nobody signed."""

    port: int

    def read(self, path: str, **headers: str) -> int:
        """The status of a GET through it."""
        request = urllib.request.Request(f"https://127.0.0.1:{self.port}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, context=trust_anybody(), timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code


def trust_anybody() -> ssl.SSLContext:
    """A context for a certificate made for the test."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@contextmanager
def run_proxy(folder: Path, *, service_port: int) -> Iterator[Proxy]:
    """nginx with the shipped files, in which the addresses and the certificate alone are other ones."""
    port = find_free_port()
    folder.chmod(0o755)
    make_certificate(folder)
    server = (FOLDER / "unde-memory.conf").read_text()
    for shipped, own in (
        ("10.0.0.11:8000", f"127.0.0.1:{service_port}"),
        ("    server 10.0.0.12:8000 max_fails=3 fail_timeout=5s;\n", ""),
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("/etc/ssl/memory.example.com.pem", str(folder / "cert.pem")),
        ("/etc/ssl/private/memory.example.com.key", str(folder / "key.pem")),
        ("/etc/nginx/conf.d/unde-memory.headers", str(FOLDER / "unde-memory.headers")),
    ):
        assert shipped in server, shipped
        server = server.replace(shipped, own)
    temporary = "\n".join(
        f"{kind}_temp_path {folder / kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"pid {folder / 'pid'};\nerror_log {folder / 'errors'};\nuser root;\nevents {{}}\n"
        f"http {{ access_log off;\n{temporary}\n{server}\n}}\n"
    )
    command = [str(NGINX), "-c", str(configuration), "-e", str(folder / "errors"), "-g", "daemon off;"]
    process = subprocess.Popen(command)
    proxy = Proxy(port)
    try:
        wait_until(lambda: process.poll() is not None or _answers(proxy))
        yield proxy
    finally:
        process.terminate()
        process.wait(timeout=30)


def make_certificate(folder: Path) -> None:
    """A key and a certificate for it, `key.pem` and `cert.pem`."""
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out cert.pem"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)


def _answers(proxy: Proxy) -> bool:
    try:
        return proxy.read("/healthz") == 200
    except OSError:
        return False
