"""Hashes of text that confirm nothing without the user's key (D-52)."""

from __future__ import annotations

from memory.models import Action, AdaptiveItem, ExtractionRun, FactCandidate, FactRow, ForgetItem
from memory.sealing.cipher import fingerprint
from memory.sealing.errors import KeyStoreUnavailable, MasterKeyMissing, SealBroken, UserKeyDestroyed
from memory.sealing.keystore import get_key_store
from memory.types import UserRef


def hash_text(text: str, *, use: str, user: UserRef) -> bytes | None:
    """32 bytes that are equal for equal texts of one user and one use; without the user's key they say nothing.

    None where there is no key to be had: the key store is out of reach, or the key was lost or destroyed. Makes the key
    of a user for whom nothing is sealed yet. Call inside the tenant's scope.
    """
    try:
        key = get_key_store().get(user.id)
        if key is None and not _has_sealed_rows(user):
            key = get_key_store().get_or_create(user.id)
    except (KeyStoreUnavailable, MasterKeyMissing, SealBroken, UserKeyDestroyed):
        return None
    return None if key is None else fingerprint(key, use, text)


def _has_sealed_rows(user: UserRef) -> bool:
    """Whether something was sealed under a key that is gone: no key is made in the place of a lost one."""
    rows = (FactRow, FactCandidate, AdaptiveItem)
    beside = (Action, ForgetItem, ExtractionRun)
    return any(model.objects.filter(user_id=user.id).exists() for model in rows) or any(
        model.objects.filter(user_id=user.id).exclude(sealed=None).exists() for model in beside
    )
