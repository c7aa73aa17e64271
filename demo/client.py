"""The service as the demo sees it: HTTP and nothing else."""

from __future__ import annotations

from typing import Any

import httpx


class ServiceUnreachable(Exception):
    """Nothing answers, or what answers refuses the key; the message is a sentence for the person at the terminal."""


class Service:
    """Calls of one API key; nothing here remembers anything. Raises ServiceUnreachable for an address that is none."""

    def __init__(self, *, url: str, key: str) -> None:
        self.url = url.rstrip("/")
        headers = {b"Authorization": f"Bearer {key}".encode()}
        try:
            self._http = httpx.Client(base_url=self.url, headers=headers, timeout=30.0)
        except httpx.InvalidURL:
            raise ServiceUnreachable(f"{url} is not a valid address. Try --url http://127.0.0.1:8000") from None

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        """One request; status and decoded answer. Raises ServiceUnreachable."""
        try:
            response = self._http.request(method, path, json=body)
        except httpx.HTTPError:
            raise ServiceUnreachable(f"No service responds at {self.url}. Start it first: script/server") from None
        if response.status_code == 401:
            raise ServiceUnreachable("The key is not accepted. Use the key that script/server printed: --key KEY")
        try:
            return response.status_code, response.json()
        except ValueError:
            raise ServiceUnreachable(f"{self.url}{path} answers {response.status_code} without JSON.") from None

    def close(self) -> None:
        """Let the connection go."""
        self._http.close()
