"""No modules import each other in a loop, neither where they are called nor for types alone (docs/architecture.md)."""

from graphlib import CycleError, TopologicalSorter

import grimp

ROOMS = ("config", "corrections", "retrieval", "memory", "patterns")


def find_circle(imports: dict[str, set[str]]) -> list[str]:
    """The modules of one loop, each imported by the one before; empty where there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_loop() -> None:
    graph = grimp.build_graph(*ROOMS)
    imports = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    assert len(imports) > 1_000
    assert find_circle(imports) == []


def test_a_loop_is_found() -> None:
    assert set(find_circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}
