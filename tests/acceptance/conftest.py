"""Callers over HTTP for the acceptance tests; see `tests/caller.py`."""

from tests.caller import api, make_api, other_api

__all__ = ["api", "make_api", "other_api"]
