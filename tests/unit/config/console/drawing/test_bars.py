from config.console.drawing.bars import describe_change, make_bars


def test_bars_are_scaled_to_the_longest() -> None:
    bars = make_bars([("a", "", [("primary", 30), ("soft", 10)]), ("b", "", [("primary", 10)])])
    assert [bar.total for bar in bars] == [40, 10]
    assert [[part.share for part in bar.parts] for bar in bars] == [[75.0, 25.0], [25.0]]


def test_nothing_counted_gives_bars_without_pieces() -> None:
    assert make_bars([("a", "", [("primary", 0)])])[0].parts == ()
    assert make_bars([]) == []


def test_a_change_is_told_with_its_direction() -> None:
    assert describe_change(5, 2) == ("+3", "up")
    assert describe_change(2, 5) == ("−3", "down")
    assert describe_change(2, 2) == ("same as yesterday", "same")
