"""Which nodes edges of a kind lead back to."""

import numpy as np
import pytest

from retrieval.knowledge.ingest.cycles import find_on_cycles, may_lead_on


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ([], set()),
        ([(1, 2), (2, 3)], set()),
        ([(1, 2), (1, 3), (2, 4), (3, 4)], set()),
        ([(1, 2), (2, 1), (2, 3)], {1, 2}),
        ([(1, 2), (2, 3), (3, 1), (4, 1), (5, 6), (6, 5)], {1, 2, 3, 5, 6}),
    ],
    ids=["nothing", "a line", "two ways to one end", "there and back", "two circles and a way to one"],
)
def test_nodes_that_edges_lead_back_to(edges: list[tuple[int, int]], found: set[int]) -> None:
    ends = np.array(edges, np.int64).reshape(-1, 2)
    assert find_on_cycles(ends[:, 0], ends[:, 1]) == found


@pytest.mark.parametrize(
    ("edge", "may"),
    [
        ({"from": ["Person"], "to": ["Company"]}, False),
        ({"from": "Company", "to": ["Company", "Person"]}, True),
        ({"from": ["Person"]}, True),
    ],
)
def test_an_edge_between_other_types_leads_to_no_edge_of_its_kind(edge: dict[str, object], may: bool) -> None:
    schema = {"types": ["Person", "Company"], "edges": [{"kind": "WORKED_AT", **edge}]}
    assert may_lead_on(schema, "WORKED_AT") is may
    assert may_lead_on(schema, "ANOTHER") is True
