"""Refusals of the wing. Each has a code; none of them carries a word of a text."""

from __future__ import annotations

from memory.errors import CodedError, Conflict, InvalidRequest, NotFound


class ProjectNotFound(NotFound):
    """The tenant has no project of this id, or it is another user's."""

    default_message = "There is no such project."


class ProjectBusy(CodedError):
    """Another write to the project takes longer than a request may wait. Nothing was stored."""

    code = "project_busy"
    status = 503
    default_message = "Another write to this project is in progress. Try again."
    retry_after_seconds = 1


class ProjectFull(Conflict):
    """The project, or the tenant, has as much as it may have; `fields` says of what. Nothing was stored."""

    code = "project_full"
    default_message = "There is no room for more in this project."


class UnknownSource(InvalidRequest):
    """A source names a message or an artifact that is not there for this project. Nothing was stored."""

    code = "unknown_source"
    status = 422
    default_message = "A source names something that is not there."


class QuoteNotFound(InvalidRequest):
    """A quotation is not in the message that it is said to be from. Nothing was stored."""

    code = "quote_not_found"
    status = 422
    default_message = "A quotation is not in its source."


class SourceRequired(InvalidRequest):
    """A decision without a source can be proposed or rejected, and nothing else."""

    code = "source_required"
    status = 422
    default_message = "This state needs a source."


class InvalidTransition(Conflict):
    """A decision cannot go from its state at that time to the one asked for."""

    code = "invalid_transition"
    default_message = "The decision cannot take this state."


class AmbiguousId(Conflict):
    """Several projects of the tenant have a decision of this id."""

    code = "ambiguous_id"
    default_message = "Several projects have a decision of this id. Name the project."


class BudgetTooSmall(InvalidRequest):
    """The required parts of a context do not fit its budget; `fields` says how much they take."""

    code = "budget_too_small"
    status = 422
    default_message = "The budget is too small for what must be in it."


class ConflictResolved(Conflict):
    """The contradiction was resolved already, and otherwise."""

    code = "conflict_resolved"
    default_message = "This contradiction was resolved already."
