"""Lexemes packed for the index, unpacked into columns, and matched: as PostgreSQL's `ts_rank` has it."""

import struct
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patterns.text.lexemes import ENTRY_BYTES, MAX_INDEXED_ENTRIES, has_own_lexeme, hash_lexeme, pack_lexemes
from patterns.text.tokens import tokenise
from retrieval.search.columns import Places, count_microseconds, unpack_places
from retrieval.search.matching import PHRASE_REACH, find_phrases, find_terms, match_words, tabulate
from retrieval.search.questions import read_question
from retrieval.search.recipes import DEFAULT
from retrieval.types import SearchFilters

MOMENT = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
WEIGHTS = dict(zip("DCBA", DEFAULT.assistant_position_weights, strict=True))


def name(number: int) -> UUID:
    return UUID(int=(number << 64) + 256)  # ends with a zero byte, as one id in 256 does


def make_places(
    *messages: tuple[str, int], conversations: tuple[int, ...] = (), order: Sequence[int] | None = None
) -> Places:
    """Messages are (text, session); all of one conversation unless said otherwise. `order` is that of the table."""
    places, packed, more = [], [], b""
    for number, (text, session) in enumerate(messages):
        entries, rest = pack_lexemes(tokenise(text), lent=tokenise(text[:400]))
        conversation = conversations[number] if conversations else 1
        moment = count_microseconds(MOMENT) + number
        places.append(
            name(number).bytes
            + UUID(int=conversation).bytes
            + struct.pack(">iiiqq", number + 1, session, len(text.split()), moment, moment)
            + struct.pack(">hhhh", 0, len(entries) // ENTRY_BYTES, 1 if number % 2 == 0 else 2, 1)
        )
        packed.append(entries)
        if rest:
            more += name(number).bytes + len(rest).to_bytes(4) + rest
    order = order or range(len(messages))
    return unpack_places(
        b"".join(places[number] for number in order), b"".join(packed[number] for number in order), more=more or None
    )


def match(places: Places, text: str, **more: object):
    in_scope = more.pop("in_scope", np.ones(len(places), dtype=bool))
    return match_words(places, question=read_question(text), recipe=DEFAULT, in_scope=in_scope)


def rank_as_postgres(weights: str) -> float:
    """`ts_rank` of one lexeme whose places have these weights (src/backend/utils/adt/tsrank.c, calc_rank_or)."""
    values = [WEIGHTS[letter] for letter in weights]
    total = sum(value / (n * n) for n, value in enumerate(values, start=1))
    best = max(values, default=0.0)
    first = values.index(best) + 1 if values else 1
    return (best + total - best / (first * first)) / 1.64493406685


@given(st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_a_rank_is_that_of_a_tsvector_with_the_words_of_the_neighbours(counts: list[int]):
    before, previous, own, following = counts
    places = make_places(*[(" ".join(["saffron"] * count) or "tea", 1) for count in counts])
    weights = "A" * min(8, own) + "B" * min(8, previous) + "D" * min(8, before) + "C" * min(8, following)
    assert match(places, "saffron").ranks[0][2] == pytest.approx(rank_as_postgres(weights))


def test_neighbours_lend_their_words_inside_the_session_alone():
    places = make_places(("saffron", 1), ("tea", 2), ("tea", 2), ("saffron", 1), conversations=(1, 1, 2, 2))
    assert match(places, "saffron").ranks[0].tolist() == pytest.approx(
        [rank_as_postgres("A"), 0, 0, rank_as_postgres("A")]
    )


@pytest.mark.parametrize("conversations", [(1, 1, 2, 2), (1 << 70, 1 << 70, 2 << 70, 2 << 70), (5, 5, 6, 6)])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 0, 2, 1), (2, 3, 0, 1)])
def test_the_order_of_the_table_is_of_no_account(conversations: tuple[int, ...], order: tuple[int, ...]):
    messages = (("saffron", 1), ("tea", 1), (" ".join(f"word{n}" for n in range(400)), 1), ("milk", 1))
    usual = make_places(*messages, conversations=conversations)
    places = make_places(*messages, conversations=conversations, order=order)
    assert places.columns.tobytes() == usual.columns.tobytes()
    assert places.sessions.tolist() == usual.sessions.tolist() == [1, 1, 2, 2]
    for word in ("saffron", "word5", "word399"):
        assert match(places, word).ranks.tolist() == match(usual, word).ranks.tolist()


def test_what_is_filtered_out_is_not_counted_and_lends_all_the_same():
    places = make_places(("saffron", 1), ("tea", 1), ("milk", 2))
    hits = match(places, "saffron", in_scope=np.array([False, True, True]))
    assert hits.lexical[0] == 0
    assert hits.ranks[0][1] == pytest.approx(rank_as_postgres("B"))
    assert hits.idfs[0] == pytest.approx(np.log(1 + (2 - 1 + 0.5) / 1.5))


def test_the_best_spelling_of_a_word_counts_and_not_their_sum():
    (term,) = {term.group for term in read_question("فستان").terms if not term.lexeme.startswith("c:")}
    hits = match(make_places(("فستان", 1), ("tea", 1)), "فستان")
    assert hits.ranks[term][0] == pytest.approx(rank_as_postgres("A"))


def test_a_rare_word_counts_more_than_a_common_one():
    places = make_places(*[("tea", session) for session in range(1, 9)], ("saffron", 9))
    hits = match(places, "saffron tea")
    assert hits.lexical[8] > hits.lexical[0] > 0
    assert hits.covered[8] == max(hits.covered)


def test_words_that_follow_each_other_as_in_the_question_count_more():
    places = make_places(
        ("I bought silk, woollen mittens, leather gloves and a scarf", 1),
        ("I bought a silk scarf, woollen mittens and leather gloves", 2),
        ("a scarf of silk", 3),
        *[("tea with milk", session) for session in range(4, 9)],
    )
    hits = match(places, "silk scarf")
    apart, together, turned, *_ = hits.lexical
    assert together > max(apart, turned)
    assert together - apart == pytest.approx(DEFAULT.phrase_weight * rank_as_postgres("A") * np.log(1 + 7.5 / 1.5))


def test_words_follow_each_other_in_every_script():
    for phrase, apart in (
        ("шёлковый шарф", "шёлковый пояс, кожаный ремень, новые перчатки и шарф"),
        ("فستان ازرق", "فستان طويل ومعطف جديد وحذاء ازرق"),
        ("丝绸围巾", "丝绸衬衫, 羊毛围巾"),
    ):
        places = make_places((phrase, 1), (apart, 2), ("tea", 3), ("milk", 4))
        hits = match(places, phrase)
        assert hits.lexical[0] > hits.lexical[1] > 0


ASKED, OTHERS = ("zorb", "quim", "fradd", "blont"), ("vekk", "glorb", "stilp")


@given(st.lists(st.lists(st.sampled_from(ASKED + OTHERS), max_size=9), min_size=1, max_size=6))
def test_phrases_are_those_that_reading_each_message_by_itself_finds(messages: list[list[str]]):
    places = make_places(*[(" ".join(words), 1) for words in messages])
    found = find_terms(places, ASKED)
    pairs, rows = find_phrases(found, np.arange(len(ASKED)), in_scope=np.ones(len(places), dtype=bool))
    expected = []
    for row, words in enumerate(messages):
        said = [(ASKED.index(word), at) for at, word in enumerate(dict.fromkeys(words)) if word in ASKED]
        for (first, at), (second, then) in pairwise(said):
            expected += [(first, row)] * (second == first + 1 and then - at <= PHRASE_REACH)
    assert sorted(zip(pairs.tolist(), rows.tolist(), strict=True)) == sorted(expected)


def test_a_phrase_does_not_reach_from_one_message_into_the_next():
    places = make_places(("I bought silk", 1), ("scarf", 2), ("tea", 3), ("milk", 4))
    alone = [match(places, word).lexical for word in ("silk", "scarf")]
    assert match(places, "silk scarf").lexical.tolist() == pytest.approx(np.add(*alone).tolist())


def test_a_phrase_outside_the_filters_counts_nowhere():
    places = make_places(("silk scarf", 1), ("tea", 2), ("silk and wool, a scarf", 3))
    assert match(places, "silk scarf", in_scope=np.array([False, True, True])).lexical[0] == 0


def test_a_question_of_stop_words_matches_nothing():
    assert match(make_places(("I like linen", 1)), "who am I").lexical.tolist() == [0.0]


def test_nothing_is_found_where_nothing_is_stored():
    places = unpack_places(None, None)
    assert len(match(places, "saffron").lexical) == 0


def test_what_does_not_fit_the_index_follows_and_is_matched_too():
    text = " ".join(f"word{n}" for n in range(1_000))
    indexed, rest = pack_lexemes(tokenise(text), lent=[])
    assert len(indexed) == MAX_INDEXED_ENTRIES * ENTRY_BYTES
    assert rest is not None and len(indexed) + len(rest) == 1_000 * ENTRY_BYTES
    assert match(make_places(("tea", 1), (text, 1), ("milk", 2)), "word999").lexical[1] > 0


def test_a_message_knows_its_own_words_from_those_it_only_lends():
    packed, _ = pack_lexemes(tokenise("saffron"), lent=tokenise("tea"))
    assert has_own_lexeme(packed, ["milk", "saffron"])
    assert not has_own_lexeme(packed, ["tea"])


@given(st.text(max_size=200))
def test_any_text_is_packed_and_found_by_its_own_words(text: str):
    tokens = tokenise(text)
    packed, rest = pack_lexemes(tokens, lent=tokens)
    lexemes = [lexeme for token in tokens for lexeme, _ in token.lexemes]
    assert len(packed) % ENTRY_BYTES == 0
    assert all(hash_lexeme(lexeme) in packed + (rest or b"") for lexeme in lexemes)
    if lexemes:
        own, lent = tabulate(find_terms(make_places((text, 1)), [lexemes[0]]), count=1)
        assert own[0][0] >= 1
        assert own[0][0] >= lent[0][0]


def test_filters_are_looked_at_in_the_columns():
    places = make_places(("a", 1), ("b", 1), ("c", 1), conversations=(1, 1, 2))

    def list_inside(**filters: object) -> list[bool]:
        return places.find_in_scope(filters=SearchFilters(**filters), as_of=None, excluded_ids=()).tolist()

    assert list_inside(roles=("assistant",)) == [False, True, False]
    assert list_inside(memory_types=("event",)) == [False, False, False]
    assert list_inside(conversation_id=UUID(int=2)) == [False, False, True]
    assert list_inside(created_to=MOMENT) == [True, False, False]
    assert list_inside(created_from=MOMENT) == [True, True, True]
    inside = places.find_in_scope(filters=SearchFilters(), as_of=MOMENT, excluded_ids=(name(0),))
    assert inside.tolist() == [False, False, False]
