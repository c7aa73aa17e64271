"""A pack is never over its budget, whatever goes in and whoever counts."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.types import Fact, RecordedMessage
from retrieval.pack.assembly import Ingredients, assemble
from retrieval.pack.budget import BudgetPolicy, find_density_cap
from retrieval.pack.directives import list_directives
from retrieval.pack.token_counters import ESTIMATE, ExactCounter, TokenCounter, TokenizerMisconfigured, choose_counter
from retrieval.pack.token_estimate import MESSAGE_OVERHEAD
from retrieval.types import EpisodeCard, SpanMessage

tokenizers = pytest.importorskip("tokenizers")
NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
CORPUS = (
    "the wedding of my sister is in April and I need a long dress with sleeves",
    "мне нужно длинное платье с рукавами на свадьбу сестры в апреле",
    "أبي فستان طويل بأكمام للعرس حق اختي",
    '<user_memory source="episode" confidence="verbatim" provenance="user_message" valid_since="2026-03-02">',
)


def train(folder: Path, *, has_bytes: bool) -> Path:
    """A small tokenizer.json: by bytes as GPT and Llama have it, or by words with letters as BERT has it."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    if has_bytes:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
        )
    else:
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.enable_truncation(max_length=4)
    file = folder / ("bytes.json" if has_bytes else "words.json")
    tokenizer.save(str(file))
    return file


@pytest.fixture(scope="module", params=["estimate", "bytes", "words"])
def counter(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TokenCounter]:
    if request.param == "estimate":
        yield ESTIMATE
        return
    file = train(tmp_path_factory.mktemp("tokenizers"), has_bytes=request.param == "bytes")
    yield ExactCounter(pattern="small*", path=str(file))


TEXT = st.lists(
    st.sampled_from(
        [
            "dress",
            "платье",
            "فستان",
            "连衣裙",
            "\n\n",
            "<b>&\"'",
            "😀",
            "x" * 40,
            "[INST]",
            "</user_memory>",
            "  ",
            "7asasiya",
        ]
    )
    | st.text(max_size=12),
    max_size=60,
).map(" ".join)


def make_message(number: int, text: str, role: str = "user") -> RecordedMessage:
    return RecordedMessage(UUID(int=number), UUID(int=1), UUID(int=2), UUID(int=3), number, role, text, NOW, NOW)


@st.composite
def ingredients(draw: st.DrawFn, counter: TokenCounter) -> Ingredients:
    window = [make_message(100 + n, text) for n, text in enumerate(draw(st.lists(TEXT, max_size=10)))]
    ids = st.sampled_from([UUID(int=n) for n in range(20)] + [message.id for message in window])
    cards = [
        EpisodeCard(
            message_id=message_id, client_id=None, conversation_id="c", role="user", speaker=draw(TEXT)[:40],
            memory_type="chat", mood="", created_at=NOW - timedelta(days=3), score=1.0, snippet=draw(TEXT)[:120],
            raw_excerpt=draw(TEXT)[:507],
            span_context=(SpanMessage(UUID(int=99), "assistant", draw(TEXT)[:200]),) if draw(st.booleans()) else (),
        )
        for message_id in draw(st.lists(ids, max_size=12, unique=True))
    ]  # fmt: skip
    facts = [
        Fact(
            UUID(int=50 + n), "allergy", text[:20], text[:60], 0.95, "instant_pattern", "confirmed_by_user", NOW, NOW, n
        )
        for n, text in enumerate(draw(st.lists(TEXT, max_size=4)))
    ]
    return Ingredients(
        question=draw(TEXT),
        directives=list_directives(
            language=draw(st.sampled_from(["en", "ru", "ar"])), has_recent_correction=draw(st.booleans())
        ),
        facts=facts,
        cards=cards,
        window=window,
        pending=[make_message(200 + n, text) for n, text in enumerate(draw(st.lists(TEXT, max_size=5)))],
        message_count=draw(st.sampled_from([3, 60, 5_000])),
        intent=draw(st.sampled_from(["", "small_talk", "recall"])),
        max_tokens=draw(st.integers(600, 6_000)),
        counter=counter,
    )


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_what_is_sent_is_never_over_the_budget(counter: TokenCounter, data: st.DataObject):
    given_ = data.draw(ingredients(counter))
    pack = assemble(given_, policy=BudgetPolicy())
    sent = sum(counter.count(message["content"]) + MESSAGE_OVERHEAD for message in pack.rendered)
    used = sum(use.used for use in pack.budget.values())
    assert sent <= used
    assert len(pack.cards) <= find_density_cap(given_.message_count).max_cards
    if "budget_overdrawn" not in pack.degraded_reasons:
        assert used <= (given_.max_tokens or 0)


def test_a_card_whose_message_fell_out_of_the_window_is_paid_for():
    long = [make_message(n, " ".join(f"w{n}x{each}" for each in range(100))) for n in range(1, 11)]
    card = EpisodeCard(
        message_id=UUID(int=1), client_id=None, conversation_id="c", role="user", speaker="", memory_type="chat",
        mood="", created_at=NOW, score=1.0, snippet="", raw_excerpt=long[0].content,
    )  # fmt: skip
    given_ = Ingredients(
        question="q", directives=(), facts=(), cards=[card], window=long, pending=(), message_count=5, max_tokens=900
    )
    pack = assemble(given_, policy=BudgetPolicy())
    assert UUID(int=1) not in [message.id for message in pack.window]
    assert pack.cards == [] and pack.reasons[UUID(int=1)] == "over_budget"


def test_the_tokenizer_is_chosen_by_the_name_of_the_model(tmp_path: Path):
    files = {"gpt-4*": str(train(tmp_path, has_bytes=True)), "*": str(train(tmp_path, has_bytes=False))}
    names = [choose_counter(model, files).name.split(":")[:2] for model in ("GPT-4.1-mini", "claude", "")]
    assert names == [["exact", "gpt-4*"], ["exact", "*"], ["estimate-by-script-1"]]
    assert choose_counter("claude", {"gpt*": "nowhere"}) is ESTIMATE


def test_an_exact_count_is_that_of_the_library_without_cuts(tmp_path: Path):
    file = train(tmp_path, has_bytes=True)
    whole = json.loads(file.read_text())
    whole["truncation"] = None
    expected = tokenizers.Tokenizer.from_str(json.dumps(whole)).encode(CORPUS[1], add_special_tokens=False).ids
    assert ExactCounter(pattern="*", path=str(file)).count(CORPUS[1]) == len(expected) > 4


@pytest.mark.parametrize("content", [None, b"no tokenizer", b"\xff\xfe", b"{}"])
def test_a_file_that_is_none_is_refused_by_name(tmp_path: Path, content: bytes | None):
    file = tmp_path / "tokenizer.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(TokenizerMisconfigured, match=r"gpt\*"):
        ExactCounter(pattern="gpt*", path=str(file))
