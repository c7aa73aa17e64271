"""Dot products of a user's messages, each added to its neighbours' of the session (D-12). Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retrieval.search.columns import Places, Weights, read_halves

# One vector as sql/read_index.sql and sql/read_dots.sql pack it.
DOT = np.dtype([("message_id", "S16"), ("dot", ">f4")])
MIXER = np.uint64(0x9E3779B97F4A7C15)


def find_dots(places: Places, packed: bytes | None) -> NDArray[np.float64]:
    """The dot product of each place, NaN for those without a vector."""
    dots = np.frombuffer(packed or b"", dtype=DOT)
    found = np.full(len(places), np.nan)
    if len(dots) == len(places) and len(places):
        # Usually both are the same messages, nearly in order of their ids.
        (here, here_low), (there, there_low) = read_halves(places.columns, start=0), read_halves(dots, start=0)
        order, others = np.argsort(here, kind="stable"), np.argsort(there, kind="stable")
        if (here[order] == there[others]).all() and (here_low[order] == there_low[others]).all():
            found[order] = dots["dot"][others]
            return found
    if len(dots) and len(places):
        # Numbers are quicker to sort and search than strings; whether they met by chance is looked at below.
        ids, wanted = _read_keys(dots), _read_keys(places.columns)
        order = np.argsort(ids)
        nearest = order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)]
        has_vector = dots["message_id"][nearest] == places.message_ids
        found[has_vector] = dots["dot"][nearest[has_vector]]
    return found


def smooth(dots: NDArray[np.float64], places: Places, *, weights: Weights) -> NDArray[np.float64]:
    """Each dot product with its neighbours' of the same session added; `weights` are those of the previous message, the
    one before it and the next one. A message without a vector (NaN) adds nothing and stays NaN."""
    known = np.where(np.isnan(dots), 0.0, dots)
    previous, before, following = weights
    added = np.zeros(len(places))
    added[1:] += known[:-1] * places.has_previous[1:] * _skip(previous, slice(1, None))
    added[2:] += known[:-2] * places.has_before[2:] * _skip(before, slice(2, None))
    added[:-1] += known[1:] * places.has_next[:-1] * _skip(following, slice(None, -1))
    return dots + added


def _skip(weight: float | NDArray[np.float64], part: slice) -> float | NDArray[np.float64]:
    return weight[part] if isinstance(weight, np.ndarray) else weight


def _read_keys(rows: NDArray[np.void]) -> NDArray[np.uint64]:
    """A number for each row's id, which is the first field of both kinds of row."""
    halves = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)[:, :16]
    pairs = np.ascontiguousarray(halves).view(np.uint64)
    keys: NDArray[np.uint64] = pairs[:, 0] * MIXER + pairs[:, 1]
    return keys
