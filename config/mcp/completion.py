"""What an assistant's editor offers while someone types an argument: ids of facts. All else here is free text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import mcp_types as types
from mcp.shared.exceptions import MCPError

Names = Mapping[str, Iterable[str]]
"""The arguments of each prompt by its name, and of each template by its URI."""


def find_argument(ref: types.PromptReference | types.ResourceTemplateReference, name: str, known: Names) -> None:
    """Raise MCPError unless the prompt or the template is one of ours and has the argument."""
    place = ref.name if isinstance(ref, types.PromptReference) else ref.uri
    if place not in known:
        raise MCPError(types.INVALID_PARAMS, "Unknown prompt or resource template")
    if name not in known[place]:
        raise MCPError(types.INVALID_PARAMS, "Unknown argument")


def offer(ids: Iterable[str], begun: str) -> types.CompleteResult:
    """The ids that begin as typed, in the order given."""
    most = 100  # values: the protocol allows no more in an answer
    found = [one for one in ids if one.startswith(begun)]
    completion = types.Completion(values=found[:most], total=len(found), has_more=len(found) > most)
    return types.CompleteResult(completion=completion)
