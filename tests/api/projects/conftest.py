"""A project over HTTP: short ways to write records."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.caller import Caller


@dataclass
class Project:
    """One project of a caller, and what is said to it."""

    api: Caller
    id: str

    @property
    def path(self) -> str:
        return f"/v1/projects/{self.id}"

    def state(self, subject: str, value: Any, source: Any = "handbook", **more: Any) -> dict[str, Any]:
        """Store one statement with a document as its source, or with `source`; what became of it."""
        if isinstance(source, str):
            source = {"type": "document", "ref": source}
        body = {"subject": subject, "value": value, **({"source": source} if source else {}), **more}
        answer = self.api.post(f"{self.path}/facts", {"facts": [body]})
        assert answer.status_code == 200, answer.content
        return answer.json()["results"][0]

    def decide(self, title: str, source: Any = "minutes", **more: Any) -> dict[str, Any]:
        """Store a decision; the decision."""
        source = {"type": "document", "ref": source} if isinstance(source, str) else source
        answer = self.api.post(
            f"{self.path}/decisions", {"title": title, **({"source": source} if source else {}), **more}
        )
        assert answer.status_code in (200, 201), answer.content
        return answer.json()

    def list(self, name: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.api.get(f"{self.path}/{name}", **query)
        assert answer.status_code == 200, answer.content
        return answer.json()["results"]


@pytest.fixture
def make_project(api: Caller) -> Callable[..., Project]:
    """Projects of the first tenant."""

    def make(id: str = "apollo", **more: Any) -> Project:
        answer = api.post("/v1/projects", {"id": id, "name": "Apollo", "mission": "Land on the moon", **more})
        assert answer.status_code == 201, answer.content
        return Project(api, id)

    return make


@pytest.fixture
def project(make_project: Callable[..., Project]) -> Project:
    return make_project()
