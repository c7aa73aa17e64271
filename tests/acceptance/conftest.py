"""Callers over HTTP for the acceptance tests (`tests/caller.py`), and a running service for those that need a real one."""

from collections.abc import Iterator

import pytest

from tests.acceptance.service_process import ServiceProcess, run_service
from tests.caller import api, make_api, other_api

__all__ = ["api", "make_api", "other_api"]


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """A running service for the files that leave it as good as they found it; others make one of their own.

    In a folder closed to other accounts: the harder case for root.
    """
    with run_service(tmp_path_factory.mktemp("service") / "data") as running:
        yield running
