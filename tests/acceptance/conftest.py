"""Callers over HTTP for the acceptance tests (`tests/caller.py`), and a running service for those that need a real one."""

from collections.abc import Iterator

import pytest

from tests.acceptance.service_process import ServiceProcess, remove_installation
from tests.caller import api, make_api, other_api

__all__ = ["api", "make_api", "other_api"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[ServiceProcess]:
    """A running service of one file's own, in a folder closed to other accounts: the harder case for root.

    With as many processes as the file's WORKERS says.
    """
    data = tmp_path_factory.mktemp("service") / "data"
    running = ServiceProcess(data, workers=getattr(request.module, "WORKERS", 1)).start()
    try:
        yield running.wait_ready()
    finally:
        if running.process is not None and running.process.poll() is None:
            running.stop()
        remove_installation(data)
