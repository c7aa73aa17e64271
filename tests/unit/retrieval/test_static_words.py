"""Word vectors from files: read as they are, means of pieces, hashing for other scripts, failures as codes."""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest

from patterns.text.caches import empty_stores
from retrieval.cards.guard import Thresholds
from retrieval.embedding.hashed import HashedEmbedder
from retrieval.embedding.providers import build_provider
from retrieval.embedding.static_words import PIECES, WEIGHTS, StaticEmbedder, is_latin
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider
from retrieval.search.recipes import DEFAULT

WORDS = ("[UNK]", "ferry", "boat", "tax")


def write_weights(folder: Path, numbers: np.ndarray, *, dtype: str = "F16") -> None:
    head = json.dumps(
        {"embedding.weight": {"dtype": dtype, "shape": list(numbers.shape), "data_offsets": [0, numbers.nbytes]}}
    ).encode()
    (folder / WEIGHTS).parent.mkdir(parents=True, exist_ok=True)
    (folder / WEIGHTS).write_bytes(len(head).to_bytes(8, "little") + head + numbers.tobytes())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizers = pytest.importorskip("tokenizers")
    made = tmp_path_factory.mktemp("vectors")
    numbers = np.zeros((len(WORDS), 256), np.float16)
    numbers[1, :2], numbers[2, :2], numbers[3, 2] = (3, 0), (0, 3), 1
    write_weights(made, numbers)
    names = {word: at for at, word in enumerate(WORDS)}
    pieces = tokenizers.Tokenizer(tokenizers.models.BPE(names, [], unk_token="[UNK]", ignore_merges=True))
    pieces.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    (made / PIECES).parent.mkdir()
    pieces.save(str(made / PIECES))
    return made


def test_a_vector_is_the_mean_of_its_pieces_at_length_one(folder: Path) -> None:
    embedder = StaticEmbedder(path=str(folder))
    one, both, nothing, other = embedder.embed_documents(["ferry", "ferry boat", "", "tax"])
    assert one[:3] == [1.0, 0.0, 0.0] and len(one) == embedder.dimensions == 256
    assert both[:2] == pytest.approx([math.sqrt(0.5)] * 2)
    assert not any(nothing)
    assert float(np.dot(both, other)) == 0.0
    assert embedder.embed_query("ferry boat") == both


def test_a_text_of_another_script_gets_the_built_in_vector(folder: Path) -> None:
    embedder, built_in = StaticEmbedder(path=str(folder)), HashedEmbedder()
    texts = ["Паром уходит в девять", "العبارة تغادر في التاسعة", "渡轮九点开"]
    assert embedder.embed_documents(texts) == built_in.embed_documents(texts)
    assert built_in.name in embedder.name  # those vectors change with it
    assert [is_latin(text) for text in ("Zoë naïve", "ferry паром", "ferry паромы", "123", "")] == [
        True, True, False, True, True,
    ]  # fmt: skip


def test_what_cannot_be_read_is_a_code_that_names_no_text(folder: Path, tmp_path: Path) -> None:
    def find_code(path: Path, **more: int) -> str:
        with pytest.raises(EmbeddingFailed) as failed:
            StaticEmbedder(path=str(path), **more)
        assert failed.value.is_outage
        return failed.value.code

    assert find_code(tmp_path) == "static_vectors_missing"
    write_weights(tmp_path, np.zeros((4, 256), np.float32), dtype="F32")
    assert find_code(tmp_path) == "static_vectors_unreadable"
    (tmp_path / WEIGHTS).write_bytes(b"\x08\0\0\0\0\0\0\0not json")
    assert find_code(tmp_path) == "static_vectors_unreadable"
    write_weights(tmp_path, np.zeros((4, 128), np.float16))
    assert find_code(tmp_path) == "static_vectors_unreadable"  # no tokenizer beside them
    (tmp_path / PIECES).parent.mkdir()
    (tmp_path / PIECES).write_bytes((folder / PIECES).read_bytes())
    assert find_code(tmp_path) == "static_vectors_of_other_dimensions"
    assert find_code(folder, dimensions=128) == "static_vectors_of_other_dimensions"


def test_word_vectors_weigh_as_the_built_in_ones_and_have_a_threshold_of_their_own(folder: Path) -> None:
    embedder: EmbeddingProvider = build_provider({"provider": "static", "path": str(folder)})
    assert embedder.is_inline
    assert DEFAULT.weigh_dense(embedder.name) == DEFAULT.hashed_weight < DEFAULT.weigh_dense("sentence:some")
    assert {Thresholds(embedder.name).choose(language) for language in ("en", "ru", "zh")} == {0.35}
    empty_stores()  # pieces of words that were met go with all other stores
    assert any(embedder.embed_query("ferry"))


@pytest.mark.skipif(importlib.util.find_spec("wordllama") is None, reason="requirements-static.txt is not installed")
def test_the_packages_own_files_know_words_of_one_meaning() -> None:
    embedder = build_provider({"provider": "static"})
    asked, near, far = embedder.embed_documents(
        ["Which doctor did I see?", "My physician is Dr Ames", "a red linen dress"]
    )
    assert float(np.dot(asked, near)) > 0.2 > float(np.dot(asked, far))
    assert embedder.name.startswith("static-wordllama-0.4")
