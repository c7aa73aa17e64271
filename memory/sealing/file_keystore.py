"""User keys as files of their own, wrapped, in a folder that no database backup covers (D-15)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import UUID

from memory.sealing.cipher import KEY_BYTES
from memory.sealing.errors import KeyStoreUnavailable, UserKeyDestroyed
from memory.sealing.keyring import MasterKeyring

_KEY: Final = ".key"
_GONE: Final = ".gone"


class FileKeyStore:
    """Implements KeyStore: `<last two hex digits>/<user id>.key`, and `.gone` where a key was destroyed.

    Files are 0600 in folders 0700. A new key is published by a hard link, which fails when there is one already, so
    that processes that race end with the same key. The mark of a destruction is written before the key goes and is
    looked at after a key is published, so that neither order of the two can leave a key behind.
    """

    def __init__(self, root: Path, *, keyring: MasterKeyring) -> None:
        self._root = root
        self._keyring = keyring

    def get(self, user_id: UUID) -> bytes | None:
        """See KeyStore.get."""
        try:
            wrapped = self._get_path(user_id, _KEY).read_bytes()
        except FileNotFoundError:
            wrapped = None
        except OSError as error:
            raise KeyStoreUnavailable from error
        if self.is_destroyed(user_id):
            raise UserKeyDestroyed
        return None if wrapped is None else self._keyring.unwrap(wrapped, user_id=user_id)

    def get_or_create(self, user_id: UUID) -> bytes:
        """See KeyStore.get_or_create. Writes and syncs a file and its folder when the key is new."""
        key = self.get(user_id)
        if key is not None:
            return key
        path = self._get_path(user_id, _KEY)
        try:
            self._make_shard(path.parent)
            with suppress(FileExistsError):
                self._publish(path, self._keyring.wrap(os.urandom(KEY_BYTES), user_id=user_id))
        except OSError as error:
            raise KeyStoreUnavailable from error
        if self.is_destroyed(user_id):
            self._remove(path)
            raise UserKeyDestroyed
        created = self.get(user_id)
        if created is None:
            raise KeyStoreUnavailable
        return created

    def destroy(self, user_id: UUID) -> bool:
        """See KeyStore.destroy. Overwrites the file before it goes; on a copying file system that is a courtesy."""
        path = self._get_path(user_id, _KEY)
        try:
            self._make_shard(path.parent)
            if not self.is_destroyed(user_id):
                with suppress(FileExistsError):
                    self._publish(self._get_path(user_id, _GONE), b"")
            for leftover in path.parent.glob(f".{path.name}.*"):
                # A rotation that was killed between writing and renaming leaves the key in a temporary file.
                self._remove(leftover)
            return self._remove(path)
        except OSError as error:
            raise KeyStoreUnavailable from error

    def is_destroyed(self, user_id: UUID) -> bool:
        """See KeyStore.is_destroyed."""
        return self._get_path(user_id, _GONE).exists()

    def holds_key(self, user_id: UUID) -> bool:
        """See KeyStore.holds_key. Looks for what a killed rotation left, too."""
        path = self._get_path(user_id, _KEY)
        return path.exists() or any(path.parent.glob(f".{path.name}.*"))

    def list(self) -> Iterator[UUID]:
        """See KeyStore.list."""
        if not self._root.is_dir():
            return
        for shard in sorted(self._root.iterdir()):
            for path in sorted(shard.glob(f"*{_KEY}")):
                yield UUID(path.name.removesuffix(_KEY))

    def rewrap(self, user_id: UUID) -> bool:
        """See KeyStore.rewrap. Replaces the file in one step."""
        path = self._get_path(user_id, _KEY)
        try:
            wrapped = path.read_bytes()
        except FileNotFoundError:
            return False
        if self.is_destroyed(user_id) or self._keyring.get_key_id(wrapped) == self._keyring.current_id:
            return False
        key = self._keyring.unwrap(wrapped, user_id=user_id)
        try:
            self._replace(path, self._keyring.wrap(key, user_id=user_id))
        except FileNotFoundError:
            # `destroy` came in between and took the temporary file away.
            return False
        if self.is_destroyed(user_id):
            self._remove(path)
            return False
        return True

    def _get_path(self, user_id: UUID, ending: str) -> Path:
        # A UUIDv7 starts with the time: only its end spreads evenly over folders.
        return self._root / user_id.hex[-2:] / f"{user_id}{ending}"

    def _make_shard(self, shard: Path) -> None:
        if shard.is_dir():
            return
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        shard.mkdir(mode=0o700, exist_ok=True)
        _sync_folder(self._root)

    def _publish(self, path: Path, content: bytes) -> None:
        temporary = _write_temporary(path, content)
        try:
            os.link(temporary, path)
        finally:
            temporary.unlink()
        _sync_folder(path.parent)

    def _replace(self, path: Path, content: bytes) -> None:
        _write_temporary(path, content).replace(path)
        _sync_folder(path.parent)

    def _remove(self, path: Path) -> bool:
        try:
            with path.open("r+b") as file:
                file.write(os.urandom(path.stat().st_size))
                file.flush()
                os.fsync(file.fileno())
            path.unlink()
        except FileNotFoundError:
            return False
        _sync_folder(path.parent)
        return True


def _write_temporary(path: Path, content: bytes) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return Path(name)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
