"""Any OpenAI-compatible endpoint: `POST {url}/chat/completions` (SPEC X-2).

DeepSeek, OpenAI, vLLM, Ollama and others differ in what they take for structured output: the client asks for the
schema, then for any JSON object, then for nothing, and keeps what worked. Time is bounded as a whole, not per read: a
model that sends a byte a minute is a model that hangs. No error carries a piece of prompt or answer (SPEC G-6).
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

import httpx

from memory.bodies import ACCEPTED, BodyLate, BodyTooLong, BodyUnreadable, read_body
from memory.extraction.model.breaker import CircuitBreaker
from memory.extraction.model.streaming import StreamBroken, read_stream
from memory.extraction.types import Completion, Prompt
from memory.tracing import traced

T = TypeVar("T")
FORMATS: Final = ("json_schema", "json_object", "none")
MAX_TRIES: Final = 3
MAX_ANSWER_BYTES: Final = 1_000_000
MAX_STREAM_BYTES: Final = 4 * MAX_ANSWER_BYTES
"""Of a streamed answer: the event around a token is much longer than the token."""
MAX_ANSWER_TOKENS: Final = 4_000
MAX_COUNTED_TOKENS: Final = 1_000_000
"""Of one answer: a run sends some 24,000 characters. An endpoint that counts more than this counts wrongly."""
MAX_MODEL_NAME: Final = 120
"""Characters that the run's row has room for."""
BACKOFF_SECONDS: Final = 1.0
MAX_WAIT_SECONDS: Final = 20.0
RETRIED_STATUSES: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
REFUSED_FORMAT_STATUSES: Final = frozenset({400, 404, 415, 422})


class ModelFailed(Exception):
    """The endpoint gave no answer. `code` says why; `is_permanent`: asking again will not help."""

    def __init__(self, code: str, *, is_permanent: bool = False) -> None:
        super().__init__(code)
        self.code = code
        self.is_permanent = is_permanent


class _TryAgain(Exception):
    def __init__(self, code: str, wait_seconds: float | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.wait_seconds = wait_seconds


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is. `extra` is merged into each request, a null takes a field out. Prices: USD per 1M tokens."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout_seconds: float = 60.0
    answer_format: str = "auto"
    extra: dict[str, Any] = field(default_factory=dict)
    price_in: float = 0.0
    price_out: float = 0.0

    def count_cost(self, completion: Completion) -> float:
        """USD for one answer; 0 where no price is set."""
        return (completion.prompt_tokens * self.price_in + completion.completion_tokens * self.price_out) / 1_000_000


class ModelClient(Protocol):
    """What a run asks of a model."""

    endpoint: Endpoint

    def complete(self, prompt: Prompt) -> Completion:
        """The answer to a prompt. Raises ModelFailed. Called with no transaction open."""
        ...


class OpenAICompatibleClient:
    """One endpoint, kept for the life of a process: it remembers which answer format works and how often it failed."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        http: httpx.Client | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.endpoint = endpoint
        self._http = http or httpx.Client(timeout=httpx.Timeout(endpoint.timeout_seconds, connect=10.0))
        self._clock = clock
        self._sleep = sleep
        self._draw = draw
        self._breaker = CircuitBreaker(clock=clock)
        self._format = FORMATS[0] if endpoint.answer_format == "auto" else endpoint.answer_format

    def complete(self, prompt: Prompt) -> Completion:
        """See ModelClient.complete. At most three tries, waits with jitter, an end at the endpoint's timeout."""
        return self._guard(lambda deadline: self._ask_in_some_format(prompt, deadline))

    def chat(self, messages: Sequence[Mapping[str, str]]) -> Completion:
        """A reply in plain text to chat messages, under the same bounds. Raises ModelFailed."""
        return self._guard(lambda deadline: self._ask_plainly(messages, deadline))

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """The reply to chat messages piece by piece, under the same bounds. Raises ModelFailed, also after some pieces.

        An endpoint that answers as a whole gives one piece. It is asked again only while nothing of a reply has come.
        """
        body = {**self._begin_body([dict(message) for message in messages]), "stream": True, **self.endpoint.extra}
        wanted = {name: value for name, value in body.items() if value is not None}
        with ExitStack() as opened:
            first, pieces = self._guard(lambda deadline: self._begin_stream(wanted, deadline, opened))
            yield first
            try:
                with _failures():
                    yield from pieces
            except _TryAgain as again:
                self._breaker.note(is_success=False)
                raise ModelFailed(again.code) from None

    def _begin_stream(self, body: dict[str, Any], deadline: float, opened: ExitStack) -> tuple[str, Iterator[str]]:
        """The stream when its first piece is there: what fails before may be asked again."""
        opened.close()  # of the try before
        left = max(0.1, deadline - self._clock())
        timeout = httpx.Timeout(left, connect=min(10.0, left))
        headers = {**self._make_headers(), "Accept-Encoding": "identity"}
        with _failures():
            answer = opened.enter_context(
                self._http.stream("POST", self._url, json=body, headers=headers, timeout=timeout)
            )
            if answer.status_code in RETRIED_STATUSES:
                raise _TryAgain(f"model_http_{answer.status_code}", _read_retry_after(answer))
            if answer.status_code >= 400:
                raise ModelFailed(f"model_http_{answer.status_code}", is_permanent=True)
            if not answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                whole = _read_completion(self._read_body(answer, deadline), model=self.endpoint.model).text
                return whole, iter(())
            pieces = read_stream(answer, limit=MAX_STREAM_BYTES, is_late=lambda: self._clock() > deadline)
            return next(pieces, ""), pieces

    @traced("unde.model")
    def _guard(self, ask: Callable[[float], T]) -> T:
        if not self._breaker.is_closed():
            raise ModelFailed("model_circuit_open")
        deadline = self._clock() + self.endpoint.timeout_seconds
        try:
            completion = self._try(ask, deadline)
        except ModelFailed as failure:
            # A refused key or request says nothing about whether the endpoint lives.
            self._breaker.note(is_success=failure.is_permanent)
            raise
        self._breaker.note(is_success=True)
        return completion

    def _try(self, ask: Callable[[float], T], deadline: float) -> T:
        failure = _TryAgain("model_unreachable")
        for attempt in range(MAX_TRIES):
            try:
                return ask(deadline)
            except _TryAgain as again:
                failure = again
            wait = self._choose_wait(attempt, failure.wait_seconds)
            if attempt + 1 == MAX_TRIES or self._clock() + wait >= deadline:
                break
            self._sleep(wait)
        raise ModelFailed(failure.code)

    def _choose_wait(self, attempt: int, asked_seconds: float | None) -> float:
        """What the endpoint asked for, else a random part of a doubling wait: workers must not come back together."""
        if asked_seconds is not None:
            return min(asked_seconds, MAX_WAIT_SECONDS)
        return float(self._draw() * min(BACKOFF_SECONDS * 2.0**attempt, MAX_WAIT_SECONDS))

    def _ask_in_some_format(self, prompt: Prompt, deadline: float) -> Completion:
        is_fixed = self.endpoint.answer_format != "auto"
        for answer_format in FORMATS[FORMATS.index(self._format) :]:
            status, body = self._post(self._build_body(prompt, answer_format), deadline)
            if status in REFUSED_FORMAT_STATUSES and answer_format != FORMATS[-1] and not is_fixed:
                continue
            if status >= 400:
                raise ModelFailed(f"model_http_{status}", is_permanent=True)
            self._format = answer_format
            return _read_completion(body, model=self.endpoint.model)
        raise ModelFailed("model_refused", is_permanent=True)

    def _ask_plainly(self, messages: Sequence[Mapping[str, str]], deadline: float) -> Completion:
        body = self._begin_body([dict(message) for message in messages])
        body.update(self.endpoint.extra)
        status, answer = self._post({name: value for name, value in body.items() if value is not None}, deadline)
        if status >= 400:
            raise ModelFailed(f"model_http_{status}", is_permanent=True)
        return _read_completion(answer, model=self.endpoint.model)

    def _begin_body(self, messages: list[dict[str, str]]) -> dict[str, Any]:
        return {
            "model": self.endpoint.model,
            "temperature": 0,
            "max_tokens": MAX_ANSWER_TOKENS,
            "messages": messages,
        }

    def _build_body(self, prompt: Prompt, answer_format: str) -> dict[str, Any]:
        body = self._begin_body(
            [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        )
        if answer_format == "json_schema":
            schema = {"name": "operations", "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif answer_format == "json_object":
            body["response_format"] = {"type": "json_object"}
        if answer_format != "json_schema":
            note = json.dumps(prompt.schema, separators=(",", ":"))
            body["messages"][0]["content"] += f"\nThe JSON schema of the answer: {note}\n"
        body.update(self.endpoint.extra)
        return {name: value for name, value in body.items() if value is not None}

    @property
    def _url(self) -> str:
        return f"{self.endpoint.url.rstrip('/')}/chat/completions"

    def _make_headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.endpoint.key}"} if self.endpoint.key else {}

    def _post(self, body: dict[str, Any], deadline: float) -> tuple[int, bytes]:
        headers = {**self._make_headers(), "Accept-Encoding": ACCEPTED}
        left = max(0.1, deadline - self._clock())
        timeout = httpx.Timeout(left, connect=min(10.0, left))
        try:
            with self._http.stream("POST", self._url, json=body, headers=headers, timeout=timeout) as answer:
                if answer.status_code in RETRIED_STATUSES:
                    raise _TryAgain(f"model_http_{answer.status_code}", _read_retry_after(answer))
                return answer.status_code, self._read_body(answer, deadline)
        except httpx.TimeoutException:
            raise _TryAgain("model_timeout") from None
        except httpx.HTTPError:
            raise _TryAgain("model_unreachable") from None

    def _read_body(self, answer: httpx.Response, deadline: float) -> bytes:
        try:
            return read_body(answer, limit=MAX_ANSWER_BYTES, is_late=lambda: self._clock() > deadline)
        except BodyLate:
            raise _TryAgain("model_timeout") from None
        except BodyTooLong:
            raise ModelFailed("answer_too_long", is_permanent=True) from None
        except BodyUnreadable:
            raise ModelFailed("model_answer_malformed", is_permanent=True) from None


@contextmanager
def _failures() -> Iterator[None]:
    """What goes wrong with a stream, as the client's own failures: worth another try, or not."""
    try:
        yield
    except (httpx.TimeoutException, BodyLate):
        raise _TryAgain("model_timeout") from None
    except httpx.HTTPError:
        raise _TryAgain("model_unreachable") from None
    except StreamBroken as broken:
        if broken.code == "answer_cut_off":
            raise ModelFailed(broken.code, is_permanent=True) from None
        raise _TryAgain(broken.code) from None
    except BodyTooLong:
        raise ModelFailed("answer_too_long", is_permanent=True) from None
    except BodyUnreadable:
        raise ModelFailed("model_answer_malformed", is_permanent=True) from None


def _read_retry_after(answer: httpx.Response) -> float | None:
    value = answer.headers.get("Retry-After", "")
    return float(value) if value.isascii() and value.replace(".", "", 1).isdigit() else None


def _read_completion(body: bytes, *, model: str) -> Completion:
    """The text and the tokens of an answer. Raises ModelFailed for a body that is none."""
    try:
        parsed = json.loads(body)
        choice = parsed["choices"][0]
        text = choice["message"]["content"]
        is_cut_off = choice.get("finish_reason") == "length"
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ModelFailed("model_answer_malformed", is_permanent=True) from None
    if not isinstance(text, str):
        raise ModelFailed("model_answer_malformed", is_permanent=True)
    if is_cut_off:
        raise ModelFailed("answer_cut_off", is_permanent=True)
    usage = parsed.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Completion(
        text=_make_storable(text),
        model=_read_name(parsed.get("model")) or model,
        prompt_tokens=_read_count(counts.get("prompt_tokens")),
        completion_tokens=_read_count(counts.get("completion_tokens")),
    )


def _read_count(count: object) -> int:
    """Tokens as the endpoint counts them; 0 for what is no count: text, less than nothing, more than can be."""
    if isinstance(count, bool) or not isinstance(count, int | float):
        return 0
    return int(count) if 0 <= count <= MAX_COUNTED_TOKENS else 0


def _read_name(name: object) -> str:
    """The model's name in characters that can be shown and stored."""
    if not isinstance(name, str):
        return ""
    return "".join(letter for letter in _make_storable(name) if letter.isprintable())[:MAX_MODEL_NAME]


def _make_storable(text: str) -> str:
    """The text without halves of characters, which JSON can say and UTF-8 cannot."""
    return text.encode("utf-8", errors="replace").decode("utf-8")
