"""Words of access: scopes of a key, roles of staff, who is asking."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec

INSTALLATION_ID = UUID(int=0)
"""Stands for the installation itself where the audit trail asks for a tenant."""


class Scope(StrEnum):
    """What an API key may do (SPEC A-1)."""

    WRITE = "write"
    READ = "read"
    FACTS = "facts"
    FORGET = "forget"
    ERASE = "erase"
    EXPORT = "export"
    FEEDBACK = "feedback"
    KNOWLEDGE_READ = "knowledge:read"
    KNOWLEDGE_WRITE = "knowledge:write"
    ASK_READ = "ask:read"
    ASK_WRITE = "ask:write"
    EPISODES_READ = "episodes:read"
    EPISODES_WRITE = "episodes:write"
    STORE_READ = "store:read"
    STORE_WRITE = "store:write"
    KEYS = "keys"
    EVENTS_READ = "events:read"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"
    CHAT_WRITE = "chat:write"
    PROJECTS_READ = "projects:read"
    PROJECTS_WRITE = "projects:write"
    OPENDSR = "opendsr"


class Role(StrEnum):
    """What a staff user may do; `operator` without a tenant is the operator of the installation (SPEC H-1, D-14)."""

    REVIEWER = "reviewer"
    PATTERN_EDITOR = "pattern_editor"
    OPERATOR = "operator"
    AUDITOR = "auditor"


class ActorType(StrEnum):
    """Who did what the audit trail records."""

    STAFF = "staff"
    API_KEY = "api_key"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The API key behind a request and the tenant it belongs to. Lives as long as the request."""

    key_id: UUID
    tenant_id: UUID
    tenant_slug: str
    timezone: str
    scopes: frozenset[Scope]
    requests_per_minute: int | None
    user_id: UUID | None = None
    """Our id of the one user that the key is for (D-40); None: the app names the user of each request."""
    user: str | None = None
    """The tenant's own id of that user."""
    user_position: int | None = None
    """Which label of a kept item's namespace names the user, from 0; None: none does."""

    client: str = ""
    """The OAuth client that a token was given to; empty for a key."""

    # What Django REST framework asks of `request.user`.
    is_authenticated = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who an audit event names: a type and an id, never a person's name or address."""

    type: ActorType
    id: str


def read_actor(code: str) -> Actor:
    """Whom a code of the action log names: `staff:7`, `key:0199...`, or a part of the system by its name. Pure."""
    kind, _, name = code.partition(":")
    kinds = {"key": ActorType.API_KEY, "staff": ActorType.STAFF}
    return Actor(type=kinds.get(kind, ActorType.SYSTEM), id=name or kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key just made. `secret` is the whole key; it exists here and with the caller, not in the database."""

    key_id: UUID
    prefix: str
    secret: str
    expires_at: datetime | None


ModelPattern = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
WindowTokens = Annotated[int, msgspec.Meta(ge=1_000, le=100_000_000)]


SkillName = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
IndicatorName = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
LayerDays = Annotated[int, msgspec.Meta(ge=1, le=3_650)]
RetentionDays = Annotated[int, msgspec.Meta(ge=1, le=36_500)]
LayerShare = Annotated[float, msgspec.Meta(ge=0, le=1)]


Url = Annotated[str, msgspec.Meta(min_length=8, max_length=500, pattern=r"^https?://[!-~]+$")]


class AuthorizationServer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """Whose tokens open `/mcp/oauth/{tenant}`, and what they may do there."""

    issuer: Url
    resource: Url  # the public address of the door, as clients write it
    audience: str = ""  # what `aud` of a token must name; empty: the resource
    jwks_url: Annotated[str, msgspec.Meta(max_length=500)] = ""  # empty: as the metadata of the issuer says
    user_claim: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] = "sub"
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    required_scope: Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[!#-\[\]-~]*$")] = ""
    scopes: tuple[str, ...] = (Scope.READ, Scope.WRITE, Scope.FACTS, Scope.FORGET)
    requests_per_minute: Annotated[int, msgspec.Meta(ge=1)] = 120


class TenantSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a tenant may set for itself, stored as JSON. A room that needs a setting adds it here with its default."""

    is_adaptive_policy_on: bool = False  # SPEC X-7: preferences as memory items beside the facts
    has_rule_editor_snippets: bool = False  # D-27: rule editors see masked snippets of this tenant's messages
    legal_profile: str = "default"  # SPEC G-2: which deadline an erasure has
    is_extraction_on: bool = True  # SPEC X-2: whether a model may read this tenant's conversations
    extraction_daily_tokens: int | None = None  # tokens a day; None: as the installation has it
    is_query_rewriting_on: bool = False  # SPEC S-2: a model words questions to the search in other ways
    is_project_model_on: bool = False  # SPEC J-2: a model reads threads and requests of projects, behind a gate
    needs_second_publisher: bool = False  # SPEC I-2: who wrote a rule or words does not publish them alone
    reviewers_per_item: int = 1  # SPEC H-1: how many people judge each sample of the review queue, 1 to 5
    # SPEC N-7: asking corpora of knowledge; a corpus may have each of them off for itself
    is_knowledge_graph_on: bool = True  # lists are read from the graph
    is_knowledge_router_on: bool = True  # questions are read against the plan; off: plain text search
    is_knowledge_memory_on: bool = True  # a question may go on with the last topic
    # BRAIN 2.1: who the assistant of /v1/chat is and how it speaks, said to the model before everything else
    persona: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    tone: Annotated[str, msgspec.Meta(max_length=500)] = ""
    skills: tuple[SkillName, ...] | None = None  # BRAIN 2.5: those that may run; None: all that are installed
    is_chat_understanding_on: bool = False  # BRAIN 2.2: a model says what a message wants where the rules are not sure
    # SPEC 11: layers of episodes
    has_layers: bool = True  # packs carry summaries of episodes and names of the running conversation
    is_episode_wording_on: bool = False  # D-42: a model puts episodes into words, through a check
    layer_warm_days: LayerDays = 14  # of rest after which an episode is warm
    layer_cold_days: LayerDays = 90  # and after which it is cold
    layer_lift_above: LayerShare = 0.7  # a priority above it lifts one layer
    # SPEC A-4: the memory page of the person whose memory it is
    page_name: Annotated[str, msgspec.Meta(max_length=80)] = ""  # whose page it is; empty: the tenant's name
    page_colour: Annotated[str, msgspec.Meta(pattern="^(#[0-9a-fA-F]{6})?$")] = ""
    page_logo: Annotated[str, msgspec.Meta(max_length=41_000)] = ""  # an https address or a data: picture
    page_words: dict[str, Annotated[str, msgspec.Meta(max_length=500)]] = {}  # said at its head, by language
    page_origins: list[Annotated[str, msgspec.Meta(max_length=300)]] = []  # sites that may embed it and be gone back to
    pause_keeps_messages: bool = False  # D-38: messages of a pause are kept and read later, or refused
    # D-54: what is older goes at night; None: as purposes say, else for ever. Switched in the console, after a look
    is_retention_on: bool = False
    retention_days: RetentionDays | None = None
    # SPEC Q-2: limits of service levels in the place of the shipped ones, `{indicator: [pass, fail]}`
    quality_limits: dict[IndicatorName, tuple[float, float]] = {}
    is_calibration_on: bool = True  # SPEC P-9: nights move confidence by feedback, and merge tastes that are alike
    is_governor_on: bool = True  # whether what is stale or in conflict is put in doubt, and what is bad is held back
    # SPEC P-2: tokens that models read and write, by pattern of their names; looked at before the shipped table
    model_windows: dict[ModelPattern, WindowTokens] = {}
    authorization_server: AuthorizationServer | None = None  # D-40: tokens that are good at /mcp/oauth/{tenant}
