"""Which model words an answer: the installation's, under a time limit of somebody who waits."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from memory.extraction.configuration import EndpointMisconfigured, find_endpoint
from memory.extraction.model.openai_client import Endpoint, OpenAICompatibleClient

NO_MODEL: Final = "none"
TIMEOUT_SECONDS: Final = 20.0


def find_model(name: str, *, seconds: float = TIMEOUT_SECONDS) -> tuple[OpenAICompatibleClient | None, str]:
    """The model to ask, in at most so many seconds, and its name.

    None where the installation has no endpoint or the caller wants none.
    """
    if name.strip().lower() == NO_MODEL:
        return None, ""
    try:
        endpoint = find_endpoint()
    except EndpointMisconfigured:
        return None, ""
    if endpoint is None:
        return None, ""
    wanted = name or endpoint.model
    return _get_client(repr(endpoint), endpoint.key, wanted, seconds), wanted


@lru_cache(maxsize=8)
def _get_client(description: str, key: str, model: str, seconds: float) -> OpenAICompatibleClient:
    endpoint = find_endpoint()
    assert endpoint is not None
    limit = min(endpoint.timeout_seconds, seconds)
    hurried: Endpoint = replace(endpoint, model=model, timeout_seconds=limit)
    return OpenAICompatibleClient(hurried)
