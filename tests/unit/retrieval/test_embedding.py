"""Embedders: the built-in one by its properties, the remote ones against a scripted transport, failures as codes."""

import gzip
import json
import math
from collections.abc import Callable
from zlib import crc32

import httpx
import numpy as np
import pytest

from patterns.text.tokens import Token
from retrieval.embedding.hashed import NGRAM_LENGTHS, HashedEmbedder
from retrieval.embedding.http_providers import CohereEmbedder, OpenAICompatibleEmbedder
from retrieval.embedding.providers import EmbeddingMisconfigured, build_provider, get_provider
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider, format_vector
from tests.scripted_model import ScriptedModel, Turn


def find_cosine(one: str, other: str) -> float:
    first, second = HashedEmbedder().embed_documents([one, other])
    return sum(a * b for a, b in zip(first, second, strict=True))


def test_a_hashed_vector_has_length_one_and_the_configured_dimensions():
    (vector,) = HashedEmbedder(dimensions=384).embed_documents(["red linen dress"])
    assert len(vector) == 384
    assert math.isclose(sum(number * number for number in vector), 1.0, rel_tol=1e-9)


def test_the_same_text_gives_the_same_vector():
    assert HashedEmbedder().embed_query("red linen dress") == HashedEmbedder().embed_documents(["red linen dress"])[0]


@pytest.mark.parametrize(
    "word", ["linen", "a", "платье", "ёлка", "فستان", "naïve", "ﬆa€文", "a文\u0301b", "7afla", "𝒳y"]
)
def test_a_word_is_hashed_by_itself_its_keys_and_its_grams(word: str):
    lexemes = ((word, 1.0), ("c:dress", 0.6))
    padded = f"<{word}>"
    grams = [padded[start : start + size] for size in NGRAM_LENGTHS for start in range(len(padded) - size + 1)]
    codes, weights = HashedEmbedder().list_features([Token(lexemes, word)])
    said = [crc32(each.encode()) for each in (f"w:{word}", "c:dress", *grams)]
    assert np.frombuffer(codes, np.uint32).tolist() == said
    each = 1 / math.sqrt(len(grams) or 1)
    assert np.frombuffer(weights, np.float64).tolist() == [1.0, 0.5 * 0.6, *[each] * len(grams)]


def test_a_feature_counts_for_or_against_its_place_by_its_highest_bit():
    codes = np.array([5, 5 | 1 << 31, 256 + 7 | 1 << 31, 9], np.uint32).tobytes()
    weights = np.array([1.0, 1.0, 3.0, 4.0]).tobytes()
    none, vector = HashedEmbedder().add_up([(b"", b""), (codes, weights)])
    assert not none.any()
    assert vector[[5, 7, 9]].tolist() == [0.0, 0.6, -0.8]
    assert np.count_nonzero(vector) == 2


def test_stop_words_alone_give_the_zero_vector():
    assert not any(HashedEmbedder().embed_query("who am I"))


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("allergy to nickel", "alergy to nikel", "walking the dog"),
        ("бордовая юбка", "бордовые юбки", "сломанный принтер"),
        ("فستان احمر", "الفستان الأحمر", "سيارة جديدة"),
    ],
)
def test_typos_and_endings_stay_near(text: str, near: str, far: str):
    assert find_cosine(text, near) > find_cosine(text, far) + 0.2


def test_a_zero_is_written_short():
    assert format_vector([0.0, 0.5, -0.25]) == "[0,0.5,-0.25]"


def make_client(status: int, body: object) -> httpx.Client:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, stream=httpx.ByteStream(json.dumps(body).encode()))

    return httpx.Client(transport=httpx.MockTransport(answer))


def make_openai(status: int = 200, body: object = None) -> OpenAICompatibleEmbedder:
    return OpenAICompatibleEmbedder(
        base_url="http://model/v1", model="m", dimensions=2, client=make_client(status, body)
    )


def test_vectors_come_back_in_the_order_of_the_texts_and_normalised():
    body = {"data": [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [3.0, 4.0]}]}
    assert make_openai(body=body).embed_documents(["a", "b"]) == [[0.6, 0.8], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("status", "body", "code", "is_outage"),
    [
        (401, {}, "embedding_http_401", True),
        (429, {}, "embedding_http_429", True),
        (400, {}, "embedding_http_400", False),
        (503, {}, "embedding_http_503", False),
        (200, {"data": []}, "embedding_answer_incomplete", False),
        (200, {"data": [{"index": 0, "embedding": [1.0]}]}, "embedding_dimensions_differ", True),
        (200, [], "embedding_answer_malformed", False),
        (200, {"data": [{"index": 0, "embedding": [10**400, 1]}]}, "embedding_answer_malformed", False),
        (200, {"data": [{"index": 0, "embedding": [1e300, 1]}]}, "embedding_answer_malformed", False),
        (200, {"data": [{"index": 0, "embedding": ["1", None]}]}, "embedding_answer_malformed", False),
    ],
)
def test_a_failing_endpoint_is_a_code(status: int, body: object, code: str, is_outage: bool):
    with pytest.raises(EmbeddingFailed) as failure:
        make_openai(status, body).embed_query("my secret")
    assert (failure.value.code, failure.value.is_outage) == (code, is_outage)
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize(
    ("packed", "headers", "code"),
    [
        (
            gzip.compress(gzip.compress(bytes(60_000_000))),
            {"Content-Encoding": "gzip, gzip"},
            "answer_too_long",
        ),
        (b'{"data": ' + b"[" * 200_000, {}, "answer_malformed"),
        (b'{"data": [{"index": 0, "embedding": [NaN, Infinity]}]}', {}, "answer_malformed"),
        (b"no gzip", {"Content-Encoding": "gzip"}, "answer_malformed"),
    ],
    ids=["gzip in gzip", "deep nesting", "no numbers", "no gzip"],
)
def test_a_hostile_body_is_a_code_too(
    packed: bytes, headers: dict[str, str], code: str, scripted_model: Callable[..., ScriptedModel]
):
    model = scripted_model(Turn(body=packed, headers=headers), path="/v1/embeddings")
    with httpx.Client() as client:
        provider = OpenAICompatibleEmbedder(base_url=model.url, model="m", dimensions=2, client=client)
        with pytest.raises(EmbeddingFailed, match=f"embedding_{code}"):
            provider.embed_query("my secret")


def test_cohere_tells_questions_from_documents():
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content)["input_type"])
        body = json.dumps({"embeddings": {"float": [[1.0, 0.0]]}})
        return httpx.Response(200, stream=httpx.ByteStream(body.encode()))

    client = httpx.Client(transport=httpx.MockTransport(answer))
    provider = CohereEmbedder(model="m", dimensions=2, client=client, api_key="k")
    provider.embed_query("q")
    provider.embed_documents(["d"])
    assert asked == ["search_query", "search_document"]


def test_an_unreachable_endpoint_is_a_code():
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route")

    client = httpx.Client(transport=httpx.MockTransport(fail))
    provider = OpenAICompatibleEmbedder(base_url="http://model", model="m", dimensions=2, client=client)
    with pytest.raises(EmbeddingFailed, match="embedding_unreachable"):
        provider.embed_query("q")


@pytest.mark.parametrize("config", [{"provider": "nonsense"}, {"provider": "hashed", "colour": "red"}])
def test_a_wrong_configuration_says_what_is_wrong(config: dict[str, str]):
    with pytest.raises(EmbeddingMisconfigured, match="embedding provider"):
        build_provider(config)


def test_a_sentence_model_that_is_not_there_is_a_code():
    with pytest.raises(EmbeddingFailed, match="sentence_model_missing"):
        build_provider({"provider": "sentence", "package": "no_such_package_here"})


def test_the_built_in_embedder_runs_inline():
    provider: EmbeddingProvider = build_provider({"provider": "hashed"})
    assert (provider.is_inline, provider.name, provider.dimensions) == (True, "hashed-ngrams-3", 256)
    assert get_provider().dimensions == 256


def test_a_number_is_written_as_the_half_precision_one_that_is_stored():
    numbers = [0.123456789, -3.0e-5, 1.0]
    written = [np.float16(text) for text in format_vector(numbers).strip("[]").split(",")]
    assert written == [np.float16(number) for number in numbers]
