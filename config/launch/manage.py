"""`script/manage`: manage.py in the environment of the service, with the embedded servers up while it runs."""

import os
import signal
import subprocess
import sys

from config.launch import paths
from config.launch.embedded.keeper import join_servers, read_wanted
from config.launch.environment import build_environment, find_database_urls, with_role
from config.launch.errors import LaunchError
from config.launch.folders import make_folders
from config.launch.processes import MARK

# What shapes the schema runs as its owner; everything else sees what the service sees.
OWNER_COMMANDS = ("migrate", "makemigrations", "showmigrations", "sqlmigrate", "squashmigrations", "optimizemigration")
# These say something about the code alone.
SERVERLESS_COMMANDS = ("", "help", "version", "--help", "--version", "-h", "startapp", "findstatic", "makemessages")


def main() -> int:
    """Run the command with its arguments; the exit code is its own, or 1 with a plain sentence."""
    os.environ.pop(MARK, None)
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        places = make_folders(paths.data_dir())
        wanted = read_wanted()
        needs_servers = name not in SERVERLESS_COMMANDS and (wanted.postgres or wanted.valkey)
        share = join_servers(places) if needs_servers else None
        environment = build_environment(places, wanted=wanted, urls=find_database_urls(places))
    except LaunchError as error:
        print(error, file=sys.stderr)
        return 1
    if "UNDE_DB_ROLE" not in environment and name in OWNER_COMMANDS:
        environment = with_role(environment, "owner")
    code = _run(environment)
    if share is not None:
        share.release()
    return code


def _run(environment: dict[str, str]) -> int:
    # Same process group: a terminal's Ctrl-C reaches the command itself, and we wait for how it takes it.
    signal.signal(signal.SIGINT, lambda *_: None)
    command = [sys.executable, str(paths.ROOT / "manage.py"), *sys.argv[1:]]
    child = subprocess.Popen(command, env=environment)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: child.send_signal(received))
    code = child.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
