"""JSON from our own tables is read as the standard library reads it."""

import json
import math

import pytest

from memory.reading_json import read_json


@pytest.mark.parametrize(
    "text", ['{"key": "size", "value": [1, 2.5, null, true, "م"]}', "1e400", "-0.0", "123456789012345678901234567890"]
)
def test_values_are_those_of_the_standard_library(text: str):
    assert repr(read_json(text.encode())) == repr(json.loads(text))


def test_a_number_that_json_has_no_word_for_comes_back():
    assert math.isnan(read_json(json.dumps({"value": math.nan}).encode())["value"])


def test_what_is_no_json_is_refused():
    with pytest.raises(json.JSONDecodeError):
        read_json(b"{")
