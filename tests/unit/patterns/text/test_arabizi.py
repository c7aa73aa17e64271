"""Words of Arabizi are heard: many spellings, one known word; what sounds like two things stands for neither."""

from __future__ import annotations

import pytest

from patterns.matching.lexicon import ORDINARY, Entry, Lexicon
from patterns.matching.spelling_rows import CLOSE, HEARD, MENDED, MENDED_CATEGORIES
from patterns.text.arabizi import (
    choose_words,
    find_word,
    fold_dotted,
    list_bones,
    list_skeletons,
    make_outline,
    make_skeleton,
)
from patterns.text.normaliser import normalise


@pytest.mark.parametrize(
    "spellings",
    [
        ("mo5mal", "mokhmal", "mukhmal", "m5ml", "mo5maal"),
        ("ma2asi", "maqasi", "magasy", "ma8aasee", "m2asi"),
        ("dhahr", "thahr", "zahr", "dahar"),
        ("3emmi", "3ammi", "3amy"),
    ],
)
def test_what_is_heard_alike_shares_its_bones(spellings: tuple[str, ...]) -> None:
    shared = set(list_bones(spellings[0]))
    for word in spellings[1:]:
        shared &= set(list_bones(word))
    assert shared


@pytest.mark.parametrize(("one", "other"), [("soof", "saif"), ("jild", "jildi"), ("safar", "asfar"), ("7ad", "7ada")])
def test_what_is_heard_otherwise_does_not(one: str, other: str) -> None:
    assert set(list_bones(one)).isdisjoint(list_bones(other))


def test_bones_of_two_meanings_stand_for_nothing() -> None:
    meanings = {"jazma": {("shoe", "shoe")}, "jizam": {("event", "party")}}
    assert "jdm" not in choose_words(meanings, make_keys=list_bones)
    meanings |= {word: {("shoe", "shoe")} for word in ("jezma", "jizma")}
    assert choose_words(meanings, make_keys=list_bones)["jdm"] in ("jazma", "jezma", "jizma")


@pytest.mark.parametrize(
    ("typed", "found"), [("jld", "jild"), ("eljeld", "el jild"), ("wiljild", "w el jild"), ("order", None)]
)
def test_the_article_is_taken_off_an_unknown_word(typed: str, found: str | None) -> None:
    skeletons, bones = {make_skeleton("jild"): "jild"}, {list_bones("jild")[0]: "jild"}
    assert find_word(typed, skeletons, bones) == found


@pytest.mark.parametrize(
    "typed", ["jild", "jeld", "jld", "eljeld", "wiljild", "7aqeebah", "shanta", "chanta", "ma2asi"]
)
def test_what_sounds_like_a_known_word_has_an_outline_that_is_known(typed: str) -> None:
    known = ("jild", "7aqiba", "shanta", "maqasi")
    skeletons = {make_skeleton(word): word for word in known}
    bones = {key: word for word in known for key in list_bones(word)}
    outlines = {make_outline(key) for key in (*skeletons, *bones)}
    found = find_word(typed, skeletons, bones)
    assert found is not None
    assert find_word(typed, skeletons, bones, outlines=outlines) == found


@pytest.mark.parametrize(
    ("typed", "folded"),
    [("7'amees", "5amees"), ("ab3'a", "ab8a"), ("fi9'9'a", "fida"), ("fi99'a", "fida"), ("im 5'7 tall", "im 5'7 tall")],
)
def test_a_figure_with_its_apostrophe_is_a_letter(typed: str, folded: str) -> None:
    text, offsets = fold_dotted(typed, list(range(len(typed))))
    assert text == folded
    assert len(offsets) == len(text)
    assert offsets == sorted(offsets)


def test_short_words_have_no_skeleton_to_be_told_by() -> None:
    assert list_skeletons("min") == ()


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon(
        [
            Entry("fabric", "leather", "arabizi", ("jild",)),
            Entry("date_phrase", "next_week", "arabizi", ("el isboo3 el jay",)),
            Entry("filler", "filler", "arabizi", ("7abibti",)),
            Entry(ORDINARY, "arabic", "arabizi", ("jaleed",)),
            Entry(ORDINARY, "arabic", "ar", ("كانت",)),
            Entry("other", "person", "ar", ("انت",)),
            Entry("event", "wedding", "en", ("wedding",)),
            Entry(MENDED, "word", "en", ("allergic",)),
            Entry(MENDED, MENDED_CATEGORIES, "en", ("event",)),
            Entry(HEARD, "word", "arabizi", ("t2tir7een", "albas")),
            Entry(CLOSE, "word", "arabizi", ("3indi", "wildi")),
            Entry("garment_word", "clothes", "arabizi", ("malabis", "malabes")),
            Entry("generic", "clothes", "arabizi", ("malabis",)),
            Entry("adjective", "wild", "en", ("wild", "wildy")),
        ]
    )


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("mabi jld 7abibti", "mabi jild 7abibti"),
        ("la tgtr7en 7abibti", "la t2tir7een 7abibti"),
        ("mabi jaleed 7abibti", "mabi jaleed 7abibti"),
        ("a jld of sorts", "a jld of sorts"),
        ("weding, alergic", "wedding, allergic"),
        ("3ndi jild, 3endy jild, weldy", "3indi jild, 3indi jild, wildi"),
        ("wildy 7abibti", "wildy 7abibti"),
    ],
)
def test_words_are_spelt_as_the_rows_know_them(lexicon: Lexicon, typed: str, read: str) -> None:
    assert normalise(typed, spelling=lexicon.make_spelling()).text == read


@pytest.mark.parametrize("typed", ["el isboo3 el jay", "elisboo3 eljay", "al isbo3 al jay", "el esboo3 eljay"])
def test_longer_expressions_are_found_in_any_spelling_of_their_words(lexicon: Lexicon, typed: str) -> None:
    tokens = normalise(typed, spelling=lexicon.make_spelling()).tokens
    assert [(m.canonical, m.start, m.end) for m in lexicon.scan(tokens)] == [("next_week", 0, len(tokens))]


def test_an_ordinary_word_keeps_its_first_letter(lexicon: Lexicon) -> None:
    assert lexicon.find(normalise("كانت").tokens, 0, categories={"other"}) is None
    assert lexicon.find(normalise("وانت").tokens, 0, categories={"other"}) is not None


def test_spellings_of_one_word_are_known_for_the_same(lexicon: Lexicon) -> None:
    assert lexicon.find(normalise("malabes").tokens, 0, categories={"generic"}) is not None


def test_a_spelling_is_left_to_a_rule_that_has_not_the_word_that_stands_for_it(lexicon: Lexicon) -> None:
    both, alone = (lexicon.make_spelling(rules=[frozenset(words)]) for words in (("albs", "albas"), ("albs", "3ndi")))
    assert normalise("albs 3ndi", spelling=both).text == "albas 3indi"
    assert normalise("albs 3ndi", spelling=alone).text == "albs 3ndi"


def test_a_latin_word_sheds_an_arabic_article_and_my(lexicon: Lexicon) -> None:
    text = normalise("الwedding weddingي weddingها", spelling=lexicon.make_spelling()).text
    assert text == "wedding wedding weddingها"
