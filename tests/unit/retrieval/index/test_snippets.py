"""Snippets by rule: cut out of the message, short, and never its beginning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.snippets import ELLIPSIS, MAX_SNIPPET_CHARACTERS, is_label, is_wanted, make_snippet

STORY = (
    "Good morning, how are you today? I went to the mall with Leila yesterday and it was crowded as always. "
    "The emerald satin dress from the wedding boutique was gorgeous but the satin pinched at the shoulders. "
    "Then we had coffee. Anyway, thanks and talk to you later!"
)


def test_the_sentence_that_says_most_is_cut_out_word_for_word():
    snippet = make_snippet(STORY)
    assert "satin" in snippet
    assert snippet in STORY


@pytest.mark.parametrize(
    "text",
    [
        "Сегодня была на примерке. Атласное платье изумрудного цвета жало в плечах, атлас не тянется совсем. " * 2
        + "Пока!",
        "مرحبا. الفستان الاخضر من البوتيك كان ضيق على الكتف والقماش ما يتمدد ابدا. شكرا لك",
        "今天去试衣服。那件翠绿色的缎面连衣裙肩膀太紧，缎面一点也不伸展。谢谢。",
        "oneverylongword" * 40,
        "word " * 100,
    ],
)
def test_a_snippet_of_any_language_fits(text: str):
    snippet = make_snippet(text)
    assert 0 < len(snippet) <= MAX_SNIPPET_CHARACTERS
    assert snippet.strip(ELLIPSIS).strip() in " ".join(text.split())


def test_a_message_of_one_endless_sentence_is_not_labelled_by_its_beginning():
    text = "well " * 30 + "the emerald satin dress pinched at the shoulders " + "and so on " * 20
    assert "emerald satin dress" in make_snippet(text)


@given(st.text(max_size=2_000))
def test_no_message_is_too_odd_for_a_snippet(text: str):
    snippet = make_snippet(text)
    assert len(snippet) <= MAX_SNIPPET_CHARACTERS
    assert make_snippet(text) == snippet


@pytest.mark.parametrize(
    ("role", "length", "memory_type", "description", "wanted"),
    [
        ("user", 200, "chat", None, True),
        ("user", 199, "chat", None, False),
        ("user", 900, "fact", None, False),
        ("user", 900, "event", None, False),
        ("user", 900, "emotion", None, True),
        ("assistant", 900, "chat", "three dresses", False),
        ("assistant", 900, "chat", None, True),
    ],
)
def test_which_messages_get_one(role: str, length: int, memory_type: str, description: str | None, wanted: bool):
    assert is_wanted(role=role, content="x" * length, memory_type=memory_type, description=description) is wanted


@pytest.mark.parametrize(
    ("label", "fits"),
    [
        ("emerald satin dress pinched at the shoulders", True),
        ("the user hates their mother", False),
        ("", False),
        ("emerald\nsatin", False),
        ("emerald satin " * 20, False),
        ("the and of", False),
    ],
)
def test_a_label_of_a_model_is_short_and_in_words_of_the_message(label: str, fits: bool):
    assert is_label(label, content=STORY) is fits
