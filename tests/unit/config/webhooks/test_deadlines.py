"""A stranger's server that drips its answer keeps no thread of ours beyond the limit of the whole exchange."""

import datetime as dt
import gzip
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import override_settings

from config.mcp.oauth.fetching import NotFetched, fetch_json
from config.webhooks.deadlines import DeadlineTransport
from config.webhooks.sending import Call, send_signed
from tests.scripted_receiver import LOOPBACK

SECONDS = 0.3
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
NOW = dt.datetime(2026, 3, 2, 12, tzinfo=dt.UTC)
Serve = Callable[[Callable[[socket.socket], None]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server that treats each connection as told; its address."""
    listeners: list[socket.socket] = []

    def start(treat: Callable[[socket.socket], None]) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def accept() -> None:
            while True:
                try:
                    treat(listener.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def drip(head: bytes) -> Callable[[socket.socket], None]:
    """Say the head, then a letter every twentieth of a second for five seconds."""

    def treat(connection: socket.socket) -> None:
        connection.sendall(head)
        for _ in range(100):
            time.sleep(0.05)
            connection.sendall(b"x")

    return treat


def answer_twice(connection: socket.socket) -> None:
    for _ in range(2):
        connection.recv(65536)
        connection.sendall(ANSWER)
    connection.close()


def make_client(seconds: float = SECONDS) -> httpx.Client:
    return httpx.Client(transport=DeadlineTransport(seconds=seconds), timeout=5.0)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"])
def test_an_answer_that_drips_is_given_up(serve: Serve, head: bytes) -> None:
    with make_client() as client, pytest.raises(httpx.ReadTimeout):
        client.get(f"http://{serve(drip(head))}/")


def test_each_exchange_on_one_connection_has_the_whole_time(serve: Serve) -> None:
    address = serve(answer_twice)
    with make_client(seconds=2.0) as client:
        assert client.get(f"http://{address}/").text == "ok"
        time.sleep(0.01)
        assert client.get(f"http://{address}/").text == "ok"


def test_a_receiver_that_drips_is_late_like_any_other(serve: Serve) -> None:
    address = serve(drip(b"HTTP/1.1 200 OK\r\nX-Slow: "))
    with make_client() as client:
        call = Call(f"http://{address}/hook", b"{}", {})
        assert send_signed(call, client=client, allowed=[ipaddress.ip_network(LOOPBACK)], now=NOW).error == "timeout"


def test_tls_is_checked_and_spoken(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def treat(connection: socket.socket) -> None:
        try:
            answer_twice(context.wrap_socket(connection, server_side=True))
        except ssl.SSLError:
            connection.close()

    address = serve(treat)
    with make_client(seconds=5.0) as client, pytest.raises(httpx.ConnectError):
        client.get(f"https://{address}/")
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(httpx, "create_ssl_context", lambda **_: trusting)
    with make_client(seconds=5.0) as client:
        assert client.get(f"https://{address}/").text == "ok"


def test_keys_that_are_packed_again_and_again_are_not_unpacked(serve: Serve) -> None:
    bomb = gzip.compress(gzip.compress(b'{"a":"' + b"x" * 50_000_000 + b'"}'))
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: {len(bomb)}\r\n\r\n".encode()
    address = serve(lambda connection: connection.sendall(head + bomb))
    with override_settings(UNDE_WEBHOOK_NETWORKS=[LOOPBACK]), pytest.raises(NotFetched, match="too_large"):
        fetch_json(f"http://{address}/keys")


def write_certificate(folder: Path) -> Path:
    """A key and a certificate for the loopback address that nobody vouches for, in one file."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "t")])
    now = dt.datetime.now(dt.UTC)
    own = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(own, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "server.pem"
    path.write_bytes(secret + signed.public_bytes(pem))
    return path
