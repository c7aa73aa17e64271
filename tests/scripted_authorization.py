"""An authorization server that answers over real HTTP on loopback, as a test tells it to."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

RESOURCE = "https://memory.acme.example/mcp/oauth/acme"


class ScriptedAuthorizationServer:
    """Metadata and keys as a test sets them, and tokens signed by its key."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.asked: list[str] = []
        self.answers: dict[str, tuple[int, bytes]] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                status, body = server.answers.get(self.path, (404, b"{}"))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_address[1]}/realm"
        self.publish("k-1")
        self.say("/.well-known/oauth-authorization-server/realm", self.metadata())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def metadata(self, **more: str) -> dict[str, str]:
        return {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **more}

    def say(self, path: str, document: Any, status: int = 200) -> None:
        self.answers[path] = (status, json.dumps(document).encode())

    def publish(self, key_id: str) -> None:
        row = {**jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True), "kid": key_id, "use": "sig"}
        self.say("/realm/keys", {"keys": [row, {"kty": "oct", "k": "AAAA", "kid": "secret"}, "odd"]})

    def make_token(self, *, key: Any = None, alg: str = "RS256", kid: str | None = "k-1", **claims: Any) -> str:
        now = int(time.time())
        told = {"iss": self.issuer, "aud": RESOURCE, "sub": "alice", "exp": now + 300, "iat": now, **claims}
        told = {name: value for name, value in told.items() if value is not None}
        return jwt.encode(told, key or self.key, algorithm=alg, headers={"kid": kid} if kid else {})

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
