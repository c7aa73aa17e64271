"""Somebody whose memory is there, and the browser with which they visit it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from tests.caller import Caller, api, make_api, other_api

__all__ = ["Visitor", "api", "make_api", "make_visitor", "other_api", "visitor"]


@dataclass
class Visitor:
    """A browser without JavaScript that has opened a link."""

    client: Client

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(path, query)

    def read(self, path: str, **query: Any) -> str:
        """The text of a page that is there."""
        answer = self.get(path, **query)
        assert answer.status_code == 200, (path, answer.status_code, answer.content.decode()[:2000])
        return answer.content.decode()

    @property
    def token(self) -> str:
        return re.search(r'name="form_token" value="(\w+)"', self.client.get("/memory/control").content.decode())[1]

    def send(self, path: str, **fields: Any) -> Any:
        """Send a form as the page has it."""
        return self.client.post(path, {"form_token": self.token, **fields})


def make_link(api: Caller, user: str = "alice", **body: Any) -> str:
    """The path of a new link."""
    answer = api.post(f"/v1/users/{user}/page-links", body)
    assert answer.status_code == 201, answer.content
    return urlsplit(answer.json()["url"]).path


@pytest.fixture
def make_visitor(api: Caller) -> Callable[..., Visitor]:
    def make(user: str = "alice", **body: Any) -> Visitor:
        client = Client(raise_request_exception=False)
        answer = client.get(make_link(api, user, **body))
        assert answer.status_code == 302, answer.content
        return Visitor(client)

    return make


@pytest.fixture
def visitor(api: Caller, make_visitor: Callable[..., Visitor]) -> Visitor:
    """Alice, who has said two things about herself, on her page."""
    api.send("my size is M")
    api.send("I'm allergic to nickel")
    return make_visitor()
