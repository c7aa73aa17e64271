"""The environment that the processes of the service get: addresses, secrets, folders."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from config.launch import paths
from config.launch.embedded.binaries import find_postgres
from config.launch.embedded.provision import DatabaseUrls, provision_external
from config.launch.embedded.servers import Wanted
from config.launch.errors import LaunchError
from config.launch.folders import Folders
from config.launch.processes import MARK
from config.launch.secrets import read_environment

OWN_URLS = ("DATABASE_OWNER_URL", "DATABASE_WORKER_URL")


def find_database_urls(places: Folders) -> DatabaseUrls:
    """The three URLs: of the embedded server, as the environment gives them, or of roles made on an external server.

    May create roles on the server of DATABASE_URL. Raises LaunchError.
    """
    given = os.environ.get("DATABASE_URL")
    if not given:
        return DatabaseUrls(
            app=paths.database_url("app", data=places.data),
            owner=paths.database_url("owner", data=places.data),
            worker=paths.database_url("worker", data=places.data),
        )
    named = [os.environ.get(name) for name in OWN_URLS]
    if named[0] and named[1]:
        return DatabaseUrls(app=given, owner=named[0], worker=named[1])
    if any(named):
        raise LaunchError("Set both DATABASE_OWNER_URL and DATABASE_WORKER_URL, or neither.")
    return provision_external(given, secrets=places.secrets)


def build_environment(places: Folders, *, wanted: Wanted, urls: DatabaseUrls) -> dict[str, str]:
    """The whole environment of a process of the service; a start would make missing secrets now.

    What the caller's environment already says about settings, secrets and Redis stays as it is.
    """
    redis = os.environ.get("REDIS_URL") or paths.redis_url(places.data)
    environment = {
        **os.environ,
        **urls.as_environment(),
        **read_environment(places.secrets, has_demo=wanted.postgres),
        "UNDE_DATA_DIR": str(places.data),
        "REDIS_URL": redis,
        "PATH": _extend_path(places, wanted),
        "PYTHONPATH": str(paths.ROOT),
    }
    defaults = {
        "CELERY_BROKER_URL": paths.celery_broker_url(redis),
        "UNDE_KEY_DIR": str(places.data / "keys"),
        "UNDE_ENVIRONMENT": "embedded" if wanted.postgres else "production",
        "DJANGO_SETTINGS_MODULE": "config.settings.base",
        "PYTHONUNBUFFERED": "1",
    }
    for name, value in defaults.items():
        environment.setdefault(name, value)
    environment.pop(MARK, None)
    return environment


def with_role(environment: Mapping[str, str], role: str) -> dict[str, str]:
    """The same environment for a process that connects under another database role."""
    return {**environment, "UNDE_DB_ROLE": role}


def _extend_path(places: Folders, wanted: Wanted) -> str:
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    if wanted.postgres:
        folders.append(str(find_postgres(places.account)))  # psql and pg_dump, behind the system's own
    return os.pathsep.join(folders)
