"""script/manage restore_check"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.erasure.journal import list_entries
from memory.erasure.restores import (
    ERASED_AGAIN,
    KEY_LOST,
    destroy_returned_keys,
    list_users_without_key,
    replay_tombstones,
)
from memory.rebuild.lost_keys import list_users_with_lost_key
from patterns.management.command import DescribedCommand


class Command(DescribedCommand):
    help = """After a restore from backup, before the service is opened again: hold the journal of tombstones
(UNDE_TOMBSTONE_DIR) against the database and erase again what came back (SPEC G-4). May be repeated.
Ends with 1 when users are left whose key was destroyed and for whom the journal has no tombstone.

example:
  script/manage restore_check
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--journal", type=Path, help="folder of the journal; default: UNDE_TOMBSTONE_DIR")

        parser.add_argument(
            "--keys-only",
            action="store_true",
            help="after a restore of the key store: only destroy the keys of erased users",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            keys = destroy_returned_keys(entries=list_entries(folder=options["journal"]))
            self.stdout.write(f"{keys} keys of erased users destroyed again")
            if options["keys_only"]:
                return
            replays = replay_tombstones(entries=list_entries(folder=options["journal"]), clock=timezone.now)
        except ValueError as error:
            raise CommandError(str(error)) from None
        for replay in replays:
            if replay.outcome != "nothing came back":
                self.stdout.write(f"erasure {replay.erasure_id}: {replay.outcome}, {replay.rows} rows")
        again = sum(replay.outcome == ERASED_AGAIN for replay in replays)
        self.stdout.write(f"{len(replays)} tombstones compared with the database, {again} erased again")
        lost = list_users_with_lost_key()
        if lost:
            self.stdout.write(
                f"{len(lost)} users have facts that no key decrypts: restore the key store. If it is lost for good, run"
                " rebuild --lost-keys to learn again from their messages"
            )
        without_key = list_users_without_key()
        for user in without_key:
            self.stdout.write(f"user {user.id}: the key was destroyed, and no tombstone is known")
        if without_key:
            raise CommandError("Erase these users: their facts are unreadable, but their messages exist.")
        if any(replay.outcome == KEY_LOST for replay in replays):
            raise CommandError("Some erasures need the keys: see above, then run restore_check again.")
