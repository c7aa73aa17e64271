"""An authorization server that takes its time holds up one request, not all."""

import threading
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from config.mcp.oauth.keys import AuthorizationServerAway, KeyStore
from config.settings import tuning
from memory.tenants.types import AuthorizationServer

SERVER = AuthorizationServer(
    issuer="https://login.example.com", resource="https://memory.example.com", jwks_url="https://login.example.com/keys"
)


class SlowServer:
    """Answers at once until it is told to hang; then each call waits for `go`."""

    def __init__(self) -> None:
        row = jwt.algorithms.ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()).public_key(), as_dict=True)
        self.keys = {"keys": [{**row, "kid": "k-1"}]}
        self.hangs, self.asked, self.go = False, threading.Event(), threading.Event()

    def fetch(self, url: str) -> dict[str, Any]:
        if self.hangs:
            self.asked.set()
            assert self.go.wait(10)
        return self.keys


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowServer:
    monkeypatch.setattr(tuning, "OAUTH_WAIT_SECONDS", 0.01)
    return SlowServer()


def ask_in_thread(store: KeyStore, slow: SlowServer, key_id: str) -> threading.Thread:
    slow.hangs = True
    thread = threading.Thread(target=store.find_key, args=(SERVER, key_id))
    thread.start()
    assert slow.asked.wait(10)
    return thread


def test_tokens_with_known_keys_go_on_while_made_up_ones_are_asked_for(slow: SlowServer) -> None:
    clock = [0.0]
    store = KeyStore(fetch=slow.fetch, clock=lambda: clock[0])
    assert store.find_key(SERVER, "k-1")
    clock[0] += 60
    thread = ask_in_thread(store, slow, "made-up")
    assert store.find_key(SERVER, "k-1")
    assert store.find_key(SERVER, "made-up-2") is None
    slow.go.set()
    thread.join(10)


def test_before_any_key_is_known_the_others_are_sent_away(slow: SlowServer) -> None:
    store = KeyStore(fetch=slow.fetch)
    thread = ask_in_thread(store, slow, "k-1")
    with pytest.raises(AuthorizationServerAway):
        store.find_key(SERVER, "k-1")
    slow.go.set()
    thread.join(10)
    assert store.find_key(SERVER, "k-1")
