"""A client of the running service that UNDE_URL and UNDE_API_KEY name, and a user of whom it knows nothing."""

import uuid

import pytest

from unde_memory import Memory


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def user() -> str:
    return f"check-{uuid.uuid4().hex}"
