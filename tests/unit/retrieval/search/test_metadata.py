"""Expressions over metadata: what is one, and what is refused by name."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.search.metadata import BadFilter, Condition, Group, parse_filter, write_condition


def test_several_keys_of_one_object_must_all_hold():
    found = parse_filter({"store": "mall", "price": {"gte": 1, "lt": 9}})
    assert found == Group(
        "AND",
        (
            Condition("store", "eq", "mall"),
            Group("AND", (Condition("price", "gte", 1), Condition("price", "lt", 9))),
        ),
    )


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({}, ""),
        ([], ""),
        ({"AND": []}, "AND"),
        ({"AND": {"a": 1}}, "AND"),
        ({"OR": [{"a": 1}, 7]}, "OR[1]"),
        ({"NOT": []}, "NOT"),
        ({"a": {}}, "a"),
        ({"a": {"like": "x"}}, "a.like"),
        ({"AND": [{"b": 1}, {"a": {"in": []}}]}, "AND[1].a.in"),
        ({"a": {"in": "text"}}, "a.in"),
        ({"a": {"in": [[1]]}}, "a.in"),
        ({"a": {"exists": "yes"}}, "a.exists"),
        ({"a": {"gt": True}}, "a.gt"),
        ({"a": {"gt": None}}, "a.gt"),
        ({"a": [1]}, "a"),
        ({"a": "x" * 501}, "a"),
        ({"a": 1e400}, "a"),
        ({"": 1}, ""),
        ({"NOT": {"NOT": {"NOT": {"NOT": {"NOT": {"a": 1}}}}}}, "NOT.NOT.NOT.NOT.NOT"),
        ({f"k{n}": n for n in range(51)}, ""),
    ],
)
def test_what_is_no_expression_is_refused_with_its_place(data: Any, path: str):
    with pytest.raises(BadFilter) as refused:
        parse_filter(data)
    assert refused.value.path.removeprefix("") == path
    assert refused.value.reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["AND", "OR", "NOT", "a", "'; --", "in", "eq", "gt"]) | st.text(max_size=8),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_json_is_an_expression_or_refused_and_never_text_of_the_statement(data: Any):
    try:
        expression = parse_filter(data)
    except BadFilter:
        return
    condition, parameters = write_condition(expression)
    assert "'; --" not in condition
    assert all(f"%({name})s" in condition for name in parameters)
