"""Neighbourhoods of turns: the dense stretch wins over a single loud turn."""

import numpy as np

from retrieval.projects.neighbourhoods import choose_turns, find_density


def test_a_stretch_about_the_question_wins_over_one_turn_that_repeats_its_words() -> None:
    ranks = np.zeros((2, 300))
    ranks[0, 40] = ranks[1, 40] = 1.0
    ranks[0, 200:220:2] = 0.6
    ranks[1, 201:220:2] = 0.6
    lengths = np.full(300, 10)
    density = find_density(ranks, np.array([2.0, 2.0]), lengths, [0])
    chosen = choose_turns(density, [10] * 300, budget=200)
    assert len(chosen) == 20 and min(chosen) >= 190 and max(chosen) <= 230


def test_a_conversation_does_not_lend_its_words_to_the_next_one() -> None:
    ranks = np.zeros((1, 20))
    ranks[0, 9] = 1.0
    density = find_density(ranks, np.array([1.0]), np.full(20, 5), [0, 10])
    assert density[10:].sum() == 0 and density[0] > 0


def test_nothing_is_chosen_where_nothing_matches() -> None:
    assert choose_turns(np.zeros(5), [1] * 5, budget=10) == []
