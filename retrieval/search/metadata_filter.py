"""Which of a user's messages have the metadata that a search asks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.types import UserRef
from retrieval.search.metadata import Expression, write_condition
from retrieval.search.statement import fetch_packed


def list_with_metadata(*, user: UserRef, expression: Expression) -> NDArray[np.bytes_]:
    """The ids of the user's messages that fit, as `retrieval.search.columns` has them. One pass over the messages."""
    condition, parameters = write_condition(expression)
    statement = (
        "SELECT coalesce(string_agg(uuid_send(m.id), ''::bytea), ''::bytea) FROM memory_message m"
        f" WHERE m.user_id = %(user_id)s::uuid AND m.forgotten_at IS NULL AND {condition}"
    )
    (packed,) = fetch_packed(statement, {"user_id": user.id, **parameters})
    return np.frombuffer(packed, dtype="S16")
