"""The service's own kind of connection, from a pool, beside the one of the test."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, connections
from django.db.utils import ConnectionHandler


@pytest.fixture
def pooled(transactional_db: None) -> Iterator[Any]:
    """The alias `pooled`: a pool with two connections."""
    options = {**connection.settings_dict["OPTIONS"], "pool": {"min_size": 2, "max_size": 2, "timeout": 5}}
    settings = {**connection.settings_dict, "OPTIONS": options}
    wrapper = ConnectionHandler({"default": settings, "pooled": settings})["pooled"]
    wrapper.pool.open()
    wrapper.pool.wait(10)
    connections["pooled"] = wrapper
    yield wrapper
    del connections["pooled"]
    wrapper.close()
    wrapper.close_pool()
