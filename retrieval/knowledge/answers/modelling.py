"""Which model words an answer: the installation's, under a time limit of somebody who waits."""

from __future__ import annotations

from typing import Final

from memory.extraction.configuration import EndpointMisconfigured, find_client
from memory.extraction.model.openai_client import OpenAICompatibleClient

NO_MODEL: Final = "none"
TIMEOUT_SECONDS: Final = 20.0


def find_model(name: str, *, seconds: float = TIMEOUT_SECONDS) -> tuple[OpenAICompatibleClient | None, str]:
    """The model to ask, in at most so many seconds, and its name.

    None where the installation has no endpoint or the caller wants none.
    """
    if name.strip().lower() == NO_MODEL:
        return None, ""
    try:
        client = find_client(model=name, most_seconds=seconds)
    except EndpointMisconfigured:
        return None, ""
    return client, (client.endpoint.model if client else "")
