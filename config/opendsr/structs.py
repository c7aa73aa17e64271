"""What desks send and get, as OpenDSR 2.0 names it."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from django.conf import settings
from msgspec import Meta

from config.api.decoding import ExternalId, Instant, RequestBody
from config.api.describing import ErrorAnswer, Moment, about, one_of
from memory.errors import InvalidRequest
from memory.privacy.types import KINDS, REGULATIONS, STATUSES

API_VERSION = "2.0"
IDENTITY_TYPE = "controller_customer_id"
IDENTITY_FORMAT = "raw"
UUID4 = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"

Kind = Literal["access", "portability", "erasure"]
Regulation = Literal["gdpr", "ccpa"]
assert (Kind.__args__, Regulation.__args__) == (KINDS, REGULATIONS)  # type: ignore[attr-defined]  # one list, said twice
CallbackUrl = Annotated[str, Meta(min_length=8, max_length=2_000)]
SubjectRequestId = Annotated[
    str, Meta(pattern=UUID4, max_length=36, description="Your id of the request: a UUID of version 4.")
]


class UnsupportedIdentity(InvalidRequest):
    """A person is named in a way that this service cannot look up."""

    code = "unsupported_identity"
    default_message = f"A person is named by {IDENTITY_TYPE} in the format {IDENTITY_FORMAT}: your id of the user."


class Identity(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who the person is."""

    identity_type: Annotated[str, about(f"`{IDENTITY_TYPE}`; no other type is supported.")]
    identity_value: ExternalId
    identity_format: Annotated[str, about(f"`{IDENTITY_FORMAT}`; hashes are not supported.")]


class SubjectRequestBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request of a person, handed on by a privacy desk."""

    regulation: Annotated[Regulation, about("The law that the request is made under.")]
    subject_request_id: SubjectRequestId
    subject_request_type: Annotated[Kind, about("What the person asks for.")]
    submitted_time: Annotated[Instant, about("When the person asked.")]
    subject_identities: Annotated[list[Identity], Meta(max_length=20, description="Exactly one.")] = []
    api_version: Annotated[Literal["2", "2.0"] | None, about("The version that you speak.")] = None
    status_callback_urls: Annotated[
        list[CallbackUrl],
        Meta(
            max_length=settings.UNDE_TUNING.MAX_PRIVACY_CALLBACKS,
            description="Told of every change of status, signed. `https`, public addresses.",
        ),
    ] = []
    extensions: Annotated[
        dict[str, Any] | None, about("By domain of the processor. This service has none; those of others are ignored.")
    ] = None

    def find_user(self) -> str:
        """The tenant's own id of the person. Raises UnsupportedIdentity."""
        for place, one in enumerate(self.subject_identities):
            for name, only in (("identity_type", IDENTITY_TYPE), ("identity_format", IDENTITY_FORMAT)):
                if getattr(one, name) != only:
                    raise UnsupportedIdentity(fields={f"subject_identities[{place}].{name}": f"must be {only}"})
        values = {one.identity_value for one in self.subject_identities}
        if len(values) != 1:
            raise UnsupportedIdentity(fields={"subject_identities": "must name exactly one person"})
        return values.pop()


class SubjectRequestTaken(msgspec.Struct, frozen=True):
    """The request is taken on."""

    controller_id: Annotated[str, about("Who you are here: the tenant.")]
    expected_completion_time: Annotated[Moment, about("Until when it is done.")]
    received_time: Annotated[Moment, about("When the request came first.")]
    encoded_request: Annotated[str, about("The body that was sent, in Base64. Do not log or store it.")]
    subject_request_id: Annotated[UUID, about("Your id of the request.")]


class SubjectRequestStatus(msgspec.Struct, frozen=True):
    """How far a request is."""

    controller_id: Annotated[str, about("Who you are here: the tenant.")]
    expected_completion_time: Annotated[Moment, about("Until when it is done.")]
    subject_request_id: Annotated[UUID, about("Your id of the request.")]
    request_status: Annotated[str, one_of(STATUSES, "How far it is.")]
    api_version: Annotated[str, about("The version of OpenDSR.")]
    results_url: Annotated[
        str | None, about("Where the results are, for a key with the scope `opendsr`. Null until there are any.")
    ]
    results_count: Annotated[int | None, about("How many records were found. Null until it is completed.")]


class SubjectRequestCancelled(msgspec.Struct, frozen=True):
    """The request is cancelled."""

    controller_id: Annotated[str, about("Who you are here: the tenant.")]
    received_time: Annotated[Moment, about("When it was cancelled.")]
    subject_request_id: Annotated[UUID, about("Your id of the request.")]
    api_version: Annotated[str, about("The version of OpenDSR.")]


class StatusCallback(msgspec.Struct, frozen=True):
    """What an address of the desk is told."""

    controller_id: str
    expected_completion_time: Moment
    status_callback_url: str
    subject_request_id: UUID
    request_status: str
    api_version: str
    results_url: str | None
    results_count: int | None


class ErrorDetail(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    domain: Annotated[str, about("`Validation`.")]
    reason: Annotated[str, about("Our code of the error.")]
    message: Annotated[str, about("Which field, and what is wrong with it.")]


class ErrorObject(msgspec.Struct, frozen=True):
    """An error as OpenDSR has it (section 7.6)."""

    code: Annotated[int, about("The HTTP status.")]
    message: Annotated[str, about("A sentence for people. It may change.")]
    errors: Annotated[list[ErrorDetail], about("What is wrong, field by field.")]


class SubjectRequestError(ErrorAnswer, frozen=True, kw_only=True):
    """Every error of these calls: OpenDSR's form, and beside it the one of all our errors."""

    error: Annotated[ErrorObject, about("The same, as OpenDSR writes it.")]


class SupportedIdentity(msgspec.Struct, frozen=True):
    """A way to name a person that this service can look up."""

    identity_type: str
    identity_format: str


class Discovery(msgspec.Struct, frozen=True):
    """What this service can do."""

    api_version: str
    supported_identities: list[SupportedIdentity]
    supported_subject_request_types: list[str]
    processor_certificate: str
