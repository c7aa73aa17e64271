"""Loaded by pytest before Django's settings: the test run has servers and a data directory of its own.

Nothing is started here. The first test that asks for the database starts the servers (`tests.plugin.database`).
"""

import os
import shutil

import pytest

# Before `config` is imported: its Celery application would otherwise choose the ordinary settings.
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"

from config.launch import paths

# A test run never touches the servers that the shell happens to name.
ELSEWHERE = (
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_WORKER_URL",
    "REDIS_URL",
    "CELERY_BROKER_URL",
    "UNDE_DB_ROLE",
    "UNDE_KEY_DIR",
    "UNDE_KEY_DATABASE_URL",
    "UNDE_DEV_API_KEY",
    "UNDE_ENVIRONMENT",
    "UNDE_MASTER_KEYS",
    "UNDE_SECRET_KEY",
)
FIRST_WORKER = "gw0"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

for variable in ELSEWHERE:
    os.environ.pop(variable, None)
# Each worker of a parallel run has servers, files and a Valkey of its own: nothing is shared, so nothing collides.
if (worker := os.environ.get("PYTEST_XDIST_WORKER", FIRST_WORKER)) != FIRST_WORKER:
    os.environ["UNDE_TEST_DATA_DIR"] = f"{paths.test_data_dir()}-{worker}"
os.environ["UNDE_DATA_DIR"] = str(paths.test_data_dir())


def find_browser() -> str | None:
    """The path of a Chromium for the tests marked `browser`, or None."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first where several workers share the run; without a browser, its tests are left out with a reason.

    A walk of minutes that began last would leave the other worker with nothing to do.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    if find_browser() is not None:
        return
    reason = "left out: there is no Chromium here (Debian: apt-get install chromium)"
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=reason))
