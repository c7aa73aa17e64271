"""Arguments of a tool that do not fit are told by field, and never by value."""

from typing import Any

import pytest

from config.mcp.server import check_arguments
from config.mcp.tools import BY_NAME, MAX_FOUND
from memory.errors import InvalidRequest
from memory.types import KNOWLEDGE_TYPES

TYPES = ", ".join(sorted(KNOWLEDGE_TYPES))


@pytest.mark.parametrize(
    ("tool", "arguments", "fields"),
    [
        ("get_context", {}, {"query": "is required"}),
        ("search_memory", {"query": 5}, {"query": "must be text"}),
        ("search_memory", {"query": "wool", "user_id": "bob"}, {"user_id": "is not a field of this request"}),
        ("search_memory", {"query": "wool", "limit": 10**9}, {"limit": f"must be at most {MAX_FOUND}"}),
        ("list_facts", {"knowledge_type": "pink"}, {"knowledge_type": f"must be one of: {TYPES}"}),
    ],
)
def test_a_wrong_argument_is_named_with_a_sentence(tool: str, arguments: dict[str, Any], fields: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_arguments(BY_NAME[tool], arguments)
    assert refused.value.fields == fields
