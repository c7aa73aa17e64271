"""What can go wrong with keys and sealed values. None of these says anything about the value."""

from __future__ import annotations

from memory.errors import CodedError, UserErased


class SealBroken(CodedError):
    """A sealed value does not open: another key, another user or purpose, or changed bytes."""

    code = "seal_broken"
    default_message = "An encrypted value could not be decrypted."


class UserKeyLost(SealBroken):
    """Something of the user is sealed and the key store has no key: it was left out of a restore, or is another one."""

    code = "user_key_lost"
    default_message = "The key for this value is not in the key store."


class MasterKeyMissing(CodedError):
    """A user key is wrapped by a master key that UNDE_MASTER_KEYS does not list."""

    code = "master_key_missing"
    default_message = "A master key that is still in use is not configured."


class MasterKeysInvalid(CodedError):
    """UNDE_MASTER_KEYS is empty or malformed."""

    code = "master_keys_invalid"
    default_message = "UNDE_MASTER_KEYS must be a list of id:base64 pairs with 32 bytes each."


class KeyStoreUnavailable(CodedError):
    """The key store cannot be read or written now."""

    code = "key_store_unavailable"
    status = 503
    default_message = "The key store cannot be reached. Try again."
    retry_after_seconds = 5


class UserKeyDestroyed(UserErased):
    """The user's key was destroyed; it is never made again for that id (SPEC F-6, G-4)."""
