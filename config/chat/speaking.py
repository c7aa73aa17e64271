"""The words of a reply: what the model is sent, and what comes back, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from config.chat.understanding import read_data
from memory.errors import CodedError
from memory.extraction.model.openai_client import ModelFailed, OpenAICompatibleClient

FALLBACK_LANGUAGE: Final = "en"
OF_ARABIZI: Final = "ar"
Messages = Sequence[Mapping[str, str]]


class ModelUnavailable(CodedError):
    """The model gave no reply. The message is stored: the same request again goes on from there."""

    code = "model_unavailable"
    status = 503
    default_message = "The model gave no reply. The message is stored; send the same request again."
    retry_after_seconds = 5


class ModelNotConfigured(CodedError):
    """The installation has no model to talk with."""

    code = "model_not_configured"
    status = 409
    default_message = "Chat needs a model: set UNDE_LLM_URL and UNDE_LLM_MODEL. The message is stored."


def make_prompt(
    pack: Mapping[str, Any], *, character: str, phase: str, language: str = "", project: Messages = ()
) -> list[dict[str, str]]:
    """The rendered pack: before it who the assistant is, after it what the project and this phase ask for.

    `project` is the rendering of a project's context: its rules and its memory are added, its question is not.
    """
    messages = [dict(each) for each in pack["rendered"]["messages"]]
    guide = find_words(read_data("guides").get(phase, {}), language)
    before = [{"role": "system", "content": character}] if character else []
    more = [dict(each) for each in project if each["role"] == "system"]
    after = [{"role": "system", "content": guide}] if guide else []
    return [*before, *messages[:1], *more, *after, *messages[1:]]


def find_words(table: Mapping[str, str], language: str) -> str:
    """Words of ours in a language; Arabizi writers read Arabic, everybody else whom we do not know English."""
    if not table:
        return ""
    other = OF_ARABIZI if language == "arabizi" else FALLBACK_LANGUAGE
    return table.get(language, table[other])


def say(model: OpenAICompatibleClient, messages: Messages, *, is_streamed: bool) -> Iterator[str]:
    """What the model says, piece by piece, without space at its ends. Raises ModelUnavailable, perhaps after some."""
    has_said = False
    try:
        pieces = model.stream(messages) if is_streamed else iter([model.chat(messages).text])
        for piece in trim(pieces):
            has_said = True
            yield piece
    except ModelFailed as failure:
        raise ModelUnavailable(fields={"model": failure.code}) from None
    if not has_said:
        raise ModelUnavailable(fields={"model": "empty_answer"})


def trim(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces without white space before the first word and after the last one, and without NUL."""
    held, has_begun = "", False
    for piece in pieces:
        text = held + piece.replace("\x00", "")
        if not has_begun:
            text = text.lstrip()
        words = text.rstrip()
        held = text[len(words) :]
        if words:
            has_begun = True
            yield words
