"""Refusals of the wing. Each has a code; none of them carries a word of a text."""

from __future__ import annotations

from memory.errors import CodedError, Conflict, InvalidRequest, NotFound


class CorpusNotFound(NotFound):
    """The tenant has no corpus of this id."""

    default_message = "This corpus does not exist."

    def __init__(self, *, place: int | None = None) -> None:
        """`place`: which one of the list `corpora` of the request; None where the request names one corpus."""
        super().__init__(fields={"corpus" if place is None else f"corpora[{place}]": "unknown"})


class CorpusBusy(CodedError):
    """Another write to the corpus takes longer than a request may wait. Nothing was stored."""

    code = "corpus_busy"
    status = 503
    default_message = "Another write to this corpus is in progress. Try again."
    retry_after_seconds = 1


class InvalidSchema(InvalidRequest):
    """The schema contradicts itself; `fields` says where."""

    code = "invalid_schema"
    default_message = "The schema is not valid."


class SchemaConflict(Conflict):
    """Stored records or the active plan do not fit the new schema. Nothing was changed; `fields` says which."""

    code = "schema_conflict"
    default_message = "Records or the plan of this corpus do not fit the new schema. Nothing was changed."


class ItemRefused(InvalidRequest):
    """One document or record is not taken; the others are. `code` says why."""

    def __init__(self, code: str, message: str, **fields: str) -> None:
        super().__init__(message, fields=fields)
        self.code = code
        self.args = (code,)
