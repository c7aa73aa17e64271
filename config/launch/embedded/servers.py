"""Both embedded servers of one installation, as one thing that is started, watched and stopped."""

from collections.abc import Callable
from dataclasses import dataclass, field

from config.launch.embedded.binaries import find_postgres, find_valkey
from config.launch.embedded.postgres import Postgres
from config.launch.embedded.valkey import Valkey
from config.launch.folders import Folders
from config.launch.processes import Child


@dataclass(frozen=True)
class Wanted:
    """Which servers are embedded; one that the environment names elsewhere is not."""

    postgres: bool = True
    valkey: bool = True
    is_fast: bool = False  # the tests' cluster: nothing is forced to disk


@dataclass
class Servers:
    """The running embedded servers."""

    places: Folders
    wanted: Wanted
    children: dict[str, Child] = field(default_factory=dict)

    def start(self) -> None:
        """Start what is wanted, one after the other, each until it answers. Raises LaunchError."""
        for name in self._list_names():
            self.children[name] = self._starter(name)()

    def stop(self) -> None:
        """Stop them cleanly, PostgreSQL last."""
        for name in ("valkey", "postgres"):
            child = self.children.pop(name, None)
            if child is not None:
                self._stop_one(name, child)

    def list_dead(self) -> list[str]:
        """Names of servers that have died since they were started."""
        return [name for name, child in self.children.items() if not child.is_alive()]

    def revive(self, name: str) -> None:
        """Start a dead server again and wait until it answers. Raises LaunchError."""
        self.children[name].clear_group()
        self.children[name] = self._starter(name)()

    def _list_names(self) -> list[str]:
        wanted = {"valkey": self.wanted.valkey, "postgres": self.wanted.postgres}
        return [name for name, is_wanted in wanted.items() if is_wanted]

    def _starter(self, name: str) -> Callable[[], Child]:
        return self._make_postgres().start if name == "postgres" else self._make_valkey().start

    def _stop_one(self, name: str, child: Child) -> None:
        if name == "postgres":
            self._make_postgres().stop(child)
        else:
            self._make_valkey().stop(child)

    def _make_postgres(self) -> Postgres:
        return Postgres(self.places, find_postgres(self.places.account), is_fast=self.wanted.is_fast)

    def _make_valkey(self) -> Valkey:
        return Valkey(self.places, find_valkey(self.places.account))
