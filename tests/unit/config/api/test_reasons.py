"""What a caller reads when a value does not fit: a sentence about JSON, not the decoder's types."""

from typing import Any

import msgspec
import pytest

from config.api.decoding import decode_json
from config.api.endpoints.messages import MessageBody
from config.api.endpoints.search_structs import ContextBody, SearchBody
from memory.errors import InvalidRequest

MESSAGE = {"user_id": "u", "conversation_id": "c", "role": "user", "content": "x"}
SEARCH = {"user_id": "u", "query": "q"}


@pytest.mark.parametrize(
    ("body_type", "body", "field", "sentence"),
    [
        (MessageBody, MESSAGE | {"role": "boss"}, "role", "must be one of: assistant, system, user"),
        (
            MessageBody,
            MESSAGE | {"content": [{"type": "film"}]},
            "content[0].type",
            "must be one of: audio, document, image, text",
        ),
        (
            SearchBody,
            SEARCH | {"filters": {"roles": ["boss"]}},
            "filters.roles[0]",
            "must be one of: assistant, system, user",
        ),
        (SearchBody, SEARCH | {"top_k": 101}, "top_k", "must be at most 100"),
        (SearchBody, SEARCH | {"top_k": 0}, "top_k", "must be at least 1"),
        (SearchBody, SEARCH | {"top_k": 1.5}, "top_k", "must be a whole number, not a decimal number"),
        (SearchBody, SEARCH | {"query": ""}, "query", "must not be empty"),
        (SearchBody, SEARCH | {"trace": "yes"}, "trace", "must be true or false, not text"),
        (MessageBody, MESSAGE | {"user_id": "u" * 129}, "user_id", "must have at most 128 characters"),
        (MessageBody, MESSAGE | {"content": 5}, "content", "must be text or a list, not a whole number"),
        (MessageBody, MESSAGE | {"reply_to_id": "m-1"}, "reply_to_id", "must be a UUID"),
        (MessageBody, MESSAGE | {"metadata": []}, "metadata", "must be an object, not a list"),
        (ContextBody, SEARCH | {"conversation_id": None}, "conversation_id", "must be text, not null"),
        (MessageBody, [], "body", "must be an object, not a list"),
    ],
)
def test_what_is_wrong_is_a_sentence(body_type: Any, body: Any, field: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        decode_json(msgspec.json.encode(body), body_type)
    assert refused.value.fields == {field: sentence}
    assert refused.value.message == f"The request is not valid. {field}: {sentence}."


def test_a_time_without_an_offset_is_told_what_one_looks_like() -> None:
    for value in ("yesterday", "2026-01-01T00:00:00"):
        with pytest.raises(InvalidRequest) as refused:
            decode_json(msgspec.json.encode(MESSAGE | {"created_at": value}), MessageBody)
        assert "2026-01-31T18:30:00+04:00" in refused.value.fields["created_at"]
