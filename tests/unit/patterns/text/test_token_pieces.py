"""Texts read piece by piece: the same words, tokens, entries and vectors as when they are read whole."""

from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from memory.types import Draft
from patterns.text.lexemes import pack_lexemes
from patterns.text.token_pieces import cut_pieces, list_tokens, read_pieces
from patterns.text.tokens import build_date_text, count_words, tokenise
from retrieval.embedding.hashed import HashedEmbedder
from retrieval.embedding.types import format_vector
from retrieval.index.entries import DATE_TOKENS, make_entries
from retrieval.index.traits import _IS_UNEVEN, _count_asked, _count_asked_by_pieces, _fold, find_traits, weigh_traits

MOMENT = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
TEXTS = st.text(st.sampled_from("aeMSз Щй\u0306ёابةـ٣7 .,'?’\u200f\u3000\n文Σς\u0301ﬁ½ "), max_size=60) | st.text(
    max_size=60
)


@given(TEXTS)
@example("e \u0301 3.5 a\u200f b 文 fi")
@example("7abibti a el")
def test_a_text_by_its_pieces_has_the_tokens_of_the_whole(text: str):
    found = read_pieces(cut_pieces(text))
    assert list_tokens(found.pieces) == tokenise(text)
    assert found.raw_words == count_words(text)


@given(TEXTS)
@example("red dress, red shoes")
@example("5 March 2026")
@example("the wool-linen coat, no wool and no linen: linen, Linen-wool")
@example("2 Mar, 2 mar 2026 2026")
def test_an_entry_is_packed_and_embedded_as_its_tokens_are(text: str):
    provider = HashedEmbedder()
    entry = make_entries([Draft("u", "c", "user", text, MOMENT)], provider)[0]
    own = tokenise(f"{build_date_text(MOMENT)} {text}")
    lent = own[DATE_TOKENS:]
    assert (entry.lexemes, entry.more_lexemes) == pack_lexemes(own, lent=lent)
    assert entry.vector == format_vector(provider.embed_tokens([lent])[0])


@given(st.text(st.sampled_from("aM Щيё'’?؟.!,\n\u200fـİ "), max_size=40))
@example("Is it? Or not. ?")
@example("?! what?! 3.5")
@example("how long? İ ـ")
def test_words_of_questions_are_counted_by_pieces_as_in_the_whole(text: str) -> None:
    pieces = cut_pieces(text)
    weigh_traits([text], [pieces])
    if not any(piece.said & _IS_UNEVEN for piece in pieces):
        assert _count_asked_by_pieces(pieces) == _count_asked(_fold(text))


@given(st.lists(st.lists(st.sampled_from(("I", "will", "how", "many", "we,", "Anna", "Anna?", "", "."))).map(" ".join)))
@example(["how", "many, Anna", "I will", "will you?"])
def test_texts_weighed_together_have_the_traits_of_each_alone(texts: list[str]) -> None:
    together = weigh_traits(texts, [cut_pieces(text) for text in texts])
    assert together == [int(find_traits(text)) for text in texts]
