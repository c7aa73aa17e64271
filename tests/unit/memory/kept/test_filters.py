"""Filters, paths and namespaces of kept items."""

import pytest

from memory.errors import InvalidRequest
from memory.kept.filters import check_filter, passes
from memory.kept.namespaces import check_path, list_fitting
from memory.kept.texts import check_paths, write_text
from memory.kept.types import Condition

ITEM = {"color": "red", "price": 9, "is_new": True, "maker": {"name": "Ada"}, "size": None}


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({"color": "red"}, True),
        ({"color": "red", "price": 10}, False),
        ({"price": {"$gte": 9, "$lt": 10}}, True),
        ({"price": {"$gt": 9}}, False),
        ({"price": {"$lte": 8.5}}, False),
        ({"color": {"$ne": "blue"}}, True),
        ({"color": {"$gt": "blue"}}, True),
        ({"color": {"$gt": 1}}, False),
        ({"is_new": 1}, False),
        ({"is_new": True}, True),
        ({"maker": {"name": "Ada"}}, True),
        ({"maker": {"name": {"$eq": "Bob"}}}, False),
        ({"missing": None}, False),
        ({"size": None}, True),
        ({"missing": {"$ne": 1}}, True),
    ],
)
def test_numbers_are_compared_as_numbers_and_text_as_text(wanted: dict, fits: bool) -> None:
    check_filter(wanted)
    assert passes(ITEM, wanted) is fits


@pytest.mark.parametrize(
    "wanted",
    [{"a": {"$regex": "x"}}, {"a": {"b": {"$in": [1]}}}, {"a": {"$gt": [1]}}, {"a": {"$gt": 1, "b": 2}}],
)
def test_an_operator_that_is_not_known_is_refused(wanted: dict) -> None:
    with pytest.raises(InvalidRequest):
        check_filter(wanted)


def test_text_is_read_at_paths_and_of_the_whole_document() -> None:
    value = {"title": "Boots", "parts": [{"text": "sole", "n": 1}, {"text": "lace"}], "is_new": True}
    assert write_text(value, paths=None) == "title: Boots\nparts: text: sole\nparts: n: 1\nparts: text: lace"
    assert write_text(value, paths=["parts[*].text", "parts[-1].text", "title"]) == "sole\nlace\nlace\nBoots"
    assert write_text(value, paths=["missing.x", "parts[9]"]) == ""
    assert write_text(value, paths=[]) == ""


@pytest.mark.parametrize("path", ["", "a.", ".a", "a[x]", "a[", "a..b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidRequest):
        check_paths([path])


@pytest.mark.parametrize(
    ("namespace", "key"), [((), "k"), (("a", ""), "k"), (("a.b",), "k"), (("a",), ""), (("a",) * 21, "k")]
)
def test_what_names_no_place_is_refused(namespace: tuple[str, ...], key: str) -> None:
    with pytest.raises(InvalidRequest):
        check_path(namespace, key)


def test_namespaces_fit_beginnings_and_ends_with_any_label_for_a_star() -> None:
    known = [("a", "b", "c"), ("a", "d", "c", "e"), ("b", "a", "c"), ("a",)]
    assert list_fitting(known, conditions=[Condition("prefix", ("a", "*", "c"))], max_depth=None) == [
        ("a", "b", "c"),
        ("a", "d", "c", "e"),
    ]
    assert list_fitting(known, conditions=[Condition("suffix", ("*", "c"))], max_depth=2) == [("a", "b"), ("b", "a")]
