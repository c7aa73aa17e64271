"""The picture of an entity with its neighbours is as wide as its names need, and no wider than a page."""

from config.console.drawing.neighbours import MAX_LETTERS, WIDTH, Neighbour, draw_neighbours


def test_short_names_make_a_narrow_picture_that_is_legible_on_a_phone() -> None:
    drawn = draw_neighbours("EPAM", [Neighbour(1, "HAS_PROJECT", "Project", "t2", False)], total=1)
    assert drawn is not None and drawn.is_narrow
    (node,) = drawn.nodes
    assert drawn.left < drawn.middle < node.text_x + len(node.kind) * 6 < drawn.left + drawn.width


def test_long_names_take_the_whole_width_and_no_more() -> None:
    drawn = draw_neighbours("x" * 90, [Neighbour(1, "A", "Project", "y" * 90, True)], total=1)
    assert drawn is not None and (drawn.left, drawn.width) == (0, WIDTH) and not drawn.is_narrow
    assert len(drawn.nodes[0].name) == MAX_LETTERS
