"""Callers over HTTP for the API tests; see `tests/caller.py`."""

from tests.caller import Caller, api, get_error, make_api, make_caller, other_api

__all__ = ["Caller", "api", "get_error", "make_api", "make_caller", "other_api"]
