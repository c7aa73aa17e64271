"""What callers see of work that takes long, and of what an import stored."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from config.api.describing import Moment, about, one_of
from memory.imports.types import ImportOutcome

Kind = Literal["erasure", "forget", "import"]
Status = Literal["pending", "running", "succeeded", "failed", "undone"]


class RefusedLine(msgspec.Struct, frozen=True):
    """The reason why a line was refused."""

    line: Annotated[int, about("Its number, from 1.")]
    code: Annotated[str, about("The code, as in errors.")]
    fields: Annotated[dict[str, str], about("What is wrong, by field.")]


class ImportAnswer(msgspec.Struct, frozen=True):
    """What an import stored."""

    messages: Annotated[int, about("New messages.")]
    repeated: Annotated[int, about("Messages and actions that were there already.")]
    actions: Annotated[int, about("New actions.")]
    accounts: Annotated[int, about("New receipts and corrections.")]
    facts: Annotated[int, about("Facts that the user has now, closed ones included.")]
    differing_facts: Annotated[int, about("Facts of the export that its own logs do not give here: other rules.")]
    ignored: Annotated[int, about("Lines with nothing to take over.")]
    failed: Annotated[int, about("Lines that were refused.")]
    errors: Annotated[list[RefusedLine], about("The refused lines, at most 100 of them.")]


class Progress(msgspec.Struct, frozen=True):
    """How far it is."""

    done: Annotated[int, about("Lines of our own export that are taken, or messages of another product's file.")]
    total: Annotated[int | None, about("How many there are. Null until they are counted.")]


class OperationError(msgspec.Struct, frozen=True):
    """Why it failed."""

    code: Annotated[str, about("The code, as in errors.")]
    message: Annotated[str, about("A sentence for people.")]
    fields: Annotated[dict[str, str], about("What is wrong, by field.")]


class OperationAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Some work and how far it is. Codes, counts and times, no text."""

    id: Annotated[
        UUID,
        about("Our id of it: the `erasure_id` of an erasure, the `batch_id` of a forget, the `id` of an import's 202."),
    ]
    kind: Annotated[str, one_of(Kind.__args__, "What is done.")]
    status: Annotated[
        str,
        one_of(
            Status.__args__,
            "`failed`: an import says why in `error`; at an erasure a person has to look. `undone`: a forget that was "
            "taken back.",
        ),
    ]
    created_at: Annotated[Moment, about("When it was asked for.")]
    finished_at: Annotated[Moment | None, about("When it was over. Null before.")]
    deadline: Annotated[Moment | None, about("Until when it must be over, where a law says so.")] = None
    path: Annotated[str | None, about("Where more is said of it. Null where there is no more.")] = None
    progress: Annotated[Progress | None, about("How far an import is. Null for others.")] = None
    result: Annotated[
        ImportAnswer | None,
        about("What an import stored. Null before its end, and where it failed without storing anything."),
    ] = None
    error: Annotated[OperationError | None, about("Why an import failed. Null otherwise.")] = None


def show_outcome(outcome: ImportOutcome) -> ImportAnswer:
    """The counts of an import as callers see them."""
    return ImportAnswer(
        messages=outcome.messages,
        repeated=outcome.repeated,
        actions=outcome.actions,
        accounts=outcome.accounts,
        facts=outcome.facts,
        differing_facts=outcome.differing_facts,
        ignored=outcome.ignored,
        failed=outcome.failed,
        errors=[RefusedLine(each.line, each.code, dict(each.fields)) for each in outcome.errors],
    )
