"""Which endpoint extraction asks, read from settings; none is a state that is said aloud, not an error (SPEC X-2)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from memory.extraction.model.openai_client import FORMATS, Endpoint, OpenAICompatibleClient
from memory.extraction.work_list import count_pending

OFF: Final = "off: UNDE_LLM_URL and UNDE_LLM_MODEL are not set"


class EndpointMisconfigured(Exception):
    """The settings of the endpoint cannot work; the message names the setting."""


def find_endpoint() -> Endpoint | None:
    """The endpoint that settings name; None when there is none. Raises EndpointMisconfigured."""
    url, model = settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL
    if not url and not model:
        return None
    if not url or not model:
        raise EndpointMisconfigured("set both UNDE_LLM_URL and UNDE_LLM_MODEL")
    return make_endpoint(
        url=url,
        model=model,
        key=settings.UNDE_LLM_KEY,
        timeout_seconds=settings.UNDE_LLM_TIMEOUT,
        answer_format=settings.UNDE_LLM_FORMAT,
        extra=settings.UNDE_LLM_EXTRA or {},
        price_in=settings.UNDE_LLM_PRICE_IN,
        price_out=settings.UNDE_LLM_PRICE_OUT,
    )


def make_endpoint(*, url: str, model: str, **more: Any) -> Endpoint:
    """An endpoint after its fields were looked at. Raises EndpointMisconfigured."""
    endpoint = Endpoint(url=url, model=model, **more)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise EndpointMisconfigured("UNDE_LLM_URL must be the base URL of the API, e.g. https://host/v1")
    if not 0 < endpoint.timeout_seconds <= 600:
        raise EndpointMisconfigured("UNDE_LLM_TIMEOUT must be above 0 and at most 600 seconds")
    if endpoint.answer_format not in ("auto", *FORMATS):
        raise EndpointMisconfigured(f"UNDE_LLM_FORMAT must be one of auto, {', '.join(FORMATS)}")
    if not isinstance(endpoint.extra, dict):
        raise EndpointMisconfigured("UNDE_LLM_EXTRA must be a JSON object")
    return endpoint


def find_client(*, model: str = "", most_seconds: float | None = None) -> OpenAICompatibleClient | None:
    """The client of the endpoint, one a process; None when extraction is off. Raises EndpointMisconfigured.

    `most_seconds` is for somebody who waits for the answer: such a client has a breaker of its own. `model` names
    another model of the same endpoint.
    """
    endpoint = find_endpoint()
    return _get_client(repr(endpoint), endpoint.key, model or endpoint.model, most_seconds) if endpoint else None


@lru_cache(maxsize=16)
def _get_client(description: str, key: str, model: str, most_seconds: float | None) -> OpenAICompatibleClient:
    # By description, because an endpoint with its `extra` can't be hashed; other settings make another client.
    endpoint = find_endpoint()
    assert endpoint is not None
    seconds = endpoint.timeout_seconds if most_seconds is None else min(endpoint.timeout_seconds, most_seconds)
    return OpenAICompatibleClient(replace(endpoint, model=model, timeout_seconds=seconds))


def describe_extraction() -> str:
    """One line for readiness and the start page: "on: <model>", or "off" and why. Names no key and no address."""
    try:
        endpoint = find_endpoint()
    except EndpointMisconfigured as error:
        return f"off: {error}"
    return f"on: {endpoint.model}" if endpoint else OFF


def count_queue() -> int:
    """Messages that wait for extraction. None if extraction is off, because nothing processes them."""
    try:
        return count_pending() if find_endpoint() else 0
    except EndpointMisconfigured:
        return count_pending()


def check_extraction(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Reports that extraction is off, or invalid settings."""
    try:
        endpoint = find_endpoint()
    except EndpointMisconfigured as error:
        return [checks.Error(f"Batch extraction cannot run: {error}.", id="memory.E001")]
    if endpoint is None:
        hint = "Facts come from instant patterns and the app alone. Set both to read conversations with a model."
        return [checks.Info(f"Batch extraction is {OFF}.", hint=hint, id="memory.I001")]
    if settings.UNDE_ENVIRONMENT == "production" and endpoint.key and endpoint.url.startswith("http://"):
        return [checks.Warning("UNDE_LLM_URL sends its key unencrypted.", hint="Use https.", id="memory.W001")]
    return []
