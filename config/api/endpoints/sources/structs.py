"""Structs of sources."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import RequestBody
from config.api.describing import Moment, about, one_of

Via = Literal["app", "mcp", "import"]


class TellerView(msgspec.Struct, frozen=True):
    """One client, and how much of what it told is stored."""

    via: Annotated[
        str,
        one_of(Via.__args__, "`app`: your backend. `mcp`: a model, as hearsay. `import`: a file of another product."),
    ]
    client: Annotated[str, about("Which client: the id of its key, or of its OAuth client; the format of an import.")]
    name: Annotated[str, about("The name of the key, where the client is one of your keys.")]
    messages: Annotated[int, about("How many messages it told, versions counted, forgotten ones left out.")]
    first_at: Annotated[Moment, about("When the first of them was said.")]
    last_at: Annotated[Moment, about("When the last of them was said.")]


class TellerList(msgspec.Struct, frozen=True):
    """Everybody who told something of a user."""

    results: Annotated[list[TellerView], about("The clients by way and name.")]
    next: Annotated[None, about("Always null: the list is one page.")] = None


class TellerForgetBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose words go."""

    via: Annotated[Via, about("As in the list.")]
    client: Annotated[str, Meta(max_length=200, description="As in the list.")] = ""
    dry_run: Annotated[bool, about("Only say what would go.")] = False
    reason: Annotated[str, Meta(max_length=500, description="In words; kept sealed under the user's key.")] | None = (
        None
    )


class TellerForgotten(msgspec.Struct, frozen=True):
    """What went, or would go. No text."""

    message_ids: Annotated[list[UUID], about("The messages.")]
    batch_ids: Annotated[list[UUID], about("The forgets that hold them. Each can be undone. Empty for a dry run.")] = []
    facts_deactivated: Annotated[list[UUID], about("Facts that rest on these messages and are closed now.")] = []
    grace_until: Annotated[Moment | None, about("Until when it can be undone.")] = None
