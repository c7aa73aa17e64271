"""Django's own connection under another role of the cluster."""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection

from config.launch import paths


@pytest.fixture
def as_role(
    django_db_setup: None, database_name: str, django_db_blocker: Any
) -> Iterator[Callable[[paths.Role], None]]:
    """Makes Django connect as `app`, `worker`, `owner` or `superuser` until the test ends."""
    before = connection.settings_dict["USER"]

    def connect_as(role: paths.Role) -> None:
        connection.close()
        url = paths.database_url(role, database=database_name)
        connection.settings_dict["USER"] = psycopg.conninfo.conninfo_to_dict(url)["user"]

    with django_db_blocker.unblock():
        yield connect_as
        connection.close()
        connection.settings_dict["USER"] = before
