"""The real web server under senders who never finish, readers who never read, bodies that are too large (SPEC A-1)."""

import json
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.acceptance.proxy import NGINX, Proxy, run_proxy, trust_anybody
from tests.acceptance.service_process import ServiceProcess

pytestmark = pytest.mark.slow

CONNECTIONS = 100
NOTICED_WITHIN = 15  # seconds until the server has seen that those who were waiting have gone


def write_message(service: ServiceProcess) -> int:
    """Status of a message sent as a client sends it: refused for the senders before it, it comes back when told to."""
    message = {"user_id": "a", "conversation_id": "c", "role": "user", "content": "my size is M"}
    deadline = time.monotonic() + NOTICED_WITHIN
    while True:
        status, answer = service.call("/v1/messages", message)
        if status != 503 or json.loads(answer)["code"] != "too_many_uploads" or time.monotonic() > deadline:
            return status
        time.sleep(0.2)


def begin(service: ServiceProcess, path: str, *, framing: str, head_only: bool = False) -> socket.socket:
    """A request that has begun and does not end."""
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=10)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {service.key}\r\n"
    if head_only:
        connection.sendall(head.encode())
        return connection
    start = b"1\r\n{\r\n" if framing.startswith("Transfer") else b"{"
    connection.sendall(f"{head}Content-Type: application/json\r\n{framing}\r\n\r\n".encode() + start)
    return connection


@pytest.mark.parametrize(
    ("path", "framing"),
    [
        ("/v1/messages", "Content-Length: 5000"),
        ("/v1/messages", "Transfer-Encoding: chunked"),
        ("/admin/login/", "Content-Length: 5000"),
    ],
)
def test_a_hundred_unfinished_requests_do_not_keep_the_service_from_answering(
    service: ServiceProcess, path: str, framing: str
) -> None:
    connections = [begin(service, path, framing=framing) for _ in range(CONNECTIONS)]
    try:
        for _ in range(3):
            assert service.call("/healthz")[0] == 200
            assert service.call("/v1/users")[0] == 200
            for connection in connections:
                try:
                    connection.sendall(b"1\r\n \r\n" if framing.startswith("Transfer") else b" ")
                except OSError:
                    continue  # one of those that were refused
    finally:
        for connection in connections:
            connection.close()
    assert write_message(service) == 201


def test_heads_that_never_end_hold_nothing(service: ServiceProcess) -> None:
    connections = [begin(service, "/v1/messages", framing="", head_only=True) for _ in range(CONNECTIONS)]
    assert service.call("/v1/users")[0] == 200
    for connection in connections:
        connection.close()


def send(service: ServiceProcess, body: bytes, *, framing: str, path: str = "/v1/messages") -> tuple[int, str]:
    """One whole request over a bare socket; status and code of the answer."""
    connection = begin(service, path, framing=framing)
    with suppress(OSError):  # answered and closed before it was all sent
        connection.sendall(body)
    answer = b""
    while b"\r\n\r\n" not in answer or not answer.rstrip().endswith(b"}"):
        part = connection.recv(65536)
        if not part:
            break
        answer += part
    connection.close()
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), str(json.loads(content[content.index(b"{") :])["code"])


def test_a_body_over_the_limit_is_refused_by_its_announced_length_alone(service: ServiceProcess) -> None:
    assert send(service, b"", framing="Content-Length: 104857600") == (413, "body_too_large")
    assert send(service, b"", framing="Content-Length: 104857600", path="/admin/login/") == (413, "body_too_large")


def test_a_body_over_the_limit_without_a_length_is_refused_as_soon_as_it_is_over(service: ServiceProcess) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert send(service, chunk * 40, framing="Transfer-Encoding: chunked") == (413, "body_too_large")
    assert service.call("/healthz")[0] == 200


def test_readers_who_never_read_keep_nobody_from_an_answer(service: ServiceProcess) -> None:
    words = "long words follow each other " * 300
    for _ in range(2):
        item = {"user_id": "talker", "conversation_id": "c", "role": "user", "content": words}
        assert service.call("/v1/messages/batch", {"messages": [item] * 500})[0] == 200
    request = (
        f"GET /v1/users/talker/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {service.key}\r\n\r\n"
    ).encode()
    connections = []
    try:
        for _ in range(20):
            connection = socket.create_connection(("127.0.0.1", service.port), timeout=10)
            connection.sendall(request)
            assert connection.recv(12) == b"HTTP/1.1 200"  # it has begun, and nothing more is read
            connections.append(connection)
        for _ in range(3):
            assert service.call("/v1/users")[0] == 200
        message = {"user_id": "b", "conversation_id": "c", "role": "user", "content": "my size is M"}
        assert service.call("/v1/messages", message)[0] == 201
    finally:
        for connection in connections:
            connection.close()


@pytest.fixture
def proxy(service: ServiceProcess, tmp_path: Path) -> Iterator[Proxy]:
    if NGINX is None or shutil.which("openssl") is None:
        pytest.skip("nginx or openssl is not installed here")
    with run_proxy(tmp_path, service_port=service.port) as running:
        yield running


def test_behind_the_documented_proxy_no_sender_who_is_slow_takes_a_place_of_the_service(
    service: ServiceProcess, proxy: Proxy
) -> None:
    senders = [trust_anybody().wrap_socket(socket.create_connection(("127.0.0.1", proxy.port))) for _ in range(100)]
    head = f"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {service.key}\r\n"
    for sender in senders:
        sender.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{{".encode())
    try:
        assert proxy.read("/v1/users", Authorization=f"Bearer {service.key}") == 200
        message = {"user_id": "proxied", "conversation_id": "c", "role": "user", "content": "my size is M"}
        assert service.call("/v1/messages", message)[0] == 201  # at once: none of the hundred waits in the service
    finally:
        for sender in senders:
            sender.close()


def test_the_documented_proxy_closes_metrics_to_the_world(proxy: Proxy) -> None:
    assert proxy.read("/metrics") == 403
