"""What a key store promises, whoever keeps the keys. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol
from uuid import UUID


class KeyStore(Protocol):
    """One key of 32 bytes a user. A destroyed key is never made again for that user id."""

    def get(self, user_id: UUID) -> bytes | None:
        """The user's key, None when none was made yet. Raises UserKeyDestroyed."""
        ...

    def get_or_create(self, user_id: UUID) -> bytes:
        """The user's key, made and stored durably when there was none; one key however many ask at once.

        Raises UserKeyDestroyed.
        """
        ...

    def destroy(self, user_id: UUID) -> bool:
        """Remove the key for good and leave a mark. True when there was a key. Writes; may be repeated."""
        ...

    def is_destroyed(self, user_id: UUID) -> bool:
        """Whether the mark of `destroy` is there."""
        ...

    def holds_key(self, user_id: UUID) -> bool:
        """Whether a key of the user lies in the store, a mark beside it or not: a restored copy may bring both."""
        ...

    def list(self) -> Iterator[UUID]:
        """The users who have a key, in no particular order."""
        ...

    def rewrap(self, user_id: UUID) -> bool:
        """Wrap the user's key under the current master key. False when it was so already or is gone. Writes."""
        ...
