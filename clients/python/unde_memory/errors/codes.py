"""One exception for each code of the service (docs/api.md has the table)."""

from __future__ import annotations

from unde_memory.errors.bases import (
    BadRequest,
    Conflict,
    Forbidden,
    Gone,
    NotFound,
    ServerFault,
    Unauthenticated,
    Unavailable,
    Unprocessable,
)


class ImportInconsistent(BadRequest):
    """Correct the request; `fields` says where."""


class NulByte(BadRequest):
    """Remove the character; `fields` says where."""


class UnstorableText(BadRequest):
    """Remove the character; `fields` says where."""


class UserRequired(BadRequest):
    """Name the user in `X-UNDE-User`, or use a key for one user."""


class InvalidCursor(BadRequest):
    """Start the list again."""


class InvalidSchema(BadRequest):
    """The schema of a corpus contradicts itself; `fields` says where."""


class SoftType(BadRequest):
    """This is not stored as a fact, or not at all; `message` says why."""


class UnsafeBlock(BadRequest):
    """This is not stored as a fact, or not at all; `message` says why."""


class MissingKey(Unauthenticated):
    """Send the header `Authorization: Bearer <key>`."""


class MissingBearer(Unauthenticated):
    """The header must be the word `Bearer`, a space and the key."""


class InvalidKey(Unauthenticated):
    """The key is unknown, revoked or expired."""


class SessionOver(Unauthenticated):
    """The session of a memory page has ended; make a new link."""


class MissingPermission(Forbidden):
    """The link of the memory page does not list it."""


class BadFormToken(Forbidden):
    """With a cookie, send the `form_token` of `GET /v1/me` in `X-Form-Token`."""


class MissingScope(Forbidden):
    """Use a key that has the scope."""


class OtherUser(Forbidden):
    """The key is for one user, and the request names another."""


class TenantKeyNeeded(Forbidden):
    """The key is for one user; the call is about the tenant, or does not name that user."""


class UserNotFound(NotFound):
    """Not in this tenant; objects of other tenants answer the same."""


class ReceiptNotFound(NotFound):
    """Likewise."""


class CorrectionNotFound(NotFound):
    """Likewise."""


class MethodNotAllowed(BadRequest):
    """`Allow` lists the methods."""


class ConstraintViolated(Conflict):
    """The request contradicts what is stored."""


class ImportGoesOn(Conflict):
    """Another import for this user is not finished; `fields` names its operation."""


class ImportErased(Conflict):
    """Of an operation: a part of the user was erased while the file waited. Send the file again."""


class ImportCancelled(Conflict):
    """Of an operation: the app ended the import. What was stored before stays."""


class OperationOver(Conflict):
    """What is over cannot be cancelled; neither can an erasure or a forget."""


class IdTaken(Conflict):
    """The request contradicts what is stored."""


class DuplicateId(Conflict):
    """The request contradicts what is stored."""


class KeyExists(Conflict):
    """This user has a working key of this name; choose another name or revoke the key."""


class FactInactive(Conflict):
    """It was closed, undone or done before."""


class ForgetOver(Conflict):
    """It was closed, undone or done before."""


class PlanUsed(Conflict):
    """It was closed, undone or done before."""


class SampleTaken(Conflict):
    """It was closed, undone or done before."""


class VersionConflict(Conflict):
    """The kept item was changed in between; read it again."""


class AnswerForgotten(Conflict):
    """Carried out before; a message that the answer shows was forgotten since."""


class UserErased(Conflict):
    """Nothing is written for the erased; a returning customer needs a new id."""


class MemoryPaused(Conflict):
    """The user has paused their memory, and nothing new is kept; reply without it and do not try again."""


class ConsentMissing(Conflict):
    """The user has not agreed that this is kept: reply without it and do not try again."""


class ErasedPeriod(Conflict):
    """Nothing is written for the erased; a returning customer needs a new id."""


class SchemaConflict(Conflict):
    """Records or the plan of the corpus do not fit the new schema and nothing was changed; `fields` says which."""


class LinkOver(Gone):
    """The link was used or is too old; make a new one."""


class ReceiptPruned(Gone):
    """Receipts are kept for a number of days, and this one is older."""


class BodyTooLarge(BadRequest):
    """Send less at once."""


class UnknownReceipt(Unprocessable):
    """The receipt is not one of this user's."""


class KeptQuotaReached(Unprocessable):
    """The user keeps as many items as a user may; delete some."""


class IdempotencyKeyReused(Unprocessable):
    """Use a new `Idempotency-Key` for each request."""


class RateLimited(Unavailable):
    """Wait for `Retry-After` seconds."""


class ImportInterrupted(ServerFault):
    """Of an operation: the import was interrupted too often. Send smaller files."""


class ImportBroken(ServerFault):
    """Of an operation: the import failed for a reason that is in the log of the service."""


class LedgerDrift(ServerFault):
    """Nothing was stored; tell the operator."""


class SealBroken(ServerFault):
    """Nothing was stored; tell the operator."""


class UserKeyLost(ServerFault):
    """Nothing was stored; tell the operator."""


class MasterKeyMissing(ServerFault):
    """Nothing was stored; tell the operator."""


class MasterKeysInvalid(ServerFault):
    """Nothing was stored; tell the operator."""


class UserBusy(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""


class CorpusBusy(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""


class TryAgain(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""


class Timeout(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""


class DatabaseUnavailable(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""


class KeyStoreUnavailable(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""


class StorageFull(Unavailable):
    """The disk is full and nothing new is stored; reading, forgetting and erasing still work."""


class FactsUnavailable(Unavailable):
    """Facts cannot be read, so there is no pack; `allow_without_facts` asks for one that says so."""


class OutcomeUnknown(Unavailable):
    """The connection was lost during COMMIT; send the same request with the same id again."""


class TooManyUploads(Unavailable):
    """This address has 48 requests whose bodies have not arrived; finish them first."""


class UnknownEdge(BadRequest):
    """The corpus has no such edge, or its plan no such intent with a path; `fields` says which."""


class UnknownIntent(BadRequest):
    """The corpus has no such edge, or its plan no such intent with a path; `fields` says which."""


class InvalidPlan(BadRequest):
    """An intent of a plan is not valid; `fields` names it."""


class PlanNotFound(NotFound):
    """Likewise."""


class PlanNotDraft(Conflict):
    """It is closed, undone or used already."""


class EpisodeNotFound(NotFound):
    """Likewise."""


class AddressRefused(BadRequest):
    """Choose a public `https` address; `fields` says what is wrong."""


class TooManyWebhooks(Conflict):
    """Delete a webhook first."""


class WebhookDisabled(Conflict):
    """Send the webhook again with PUT to enable it."""


class EventsExpired(Gone):
    """Read the present state anew, then start without `after`."""


class ModelNotConfigured(Conflict):
    """The service has no model to talk with. The message is stored."""


class ModelUnavailable(Unavailable):
    """The model gave no reply. The message is stored: the same call with the same id goes on from there."""


class TurnRunning(Unavailable):
    """Another request is answering this very message: the same call gets its reply."""


class ForeignOrigin(Forbidden):
    """`/mcp` under a host, or from a page, that the installation does not know."""


class InvalidToken(Unauthenticated):
    """The access token is not valid for this resource."""


class InsufficientScope(Forbidden):
    """The authorization server did not give the token the scope that this resource needs."""


class AuthorizationServerUnavailable(Unavailable):
    """The token cannot be checked now; try again."""


class McpUnavailable(Unavailable):
    """Nothing was done; try again."""


class InvalidTransition(Conflict):
    """A decision cannot take this state from the one that it has."""


class ConflictResolved(Conflict):
    """A contradiction was resolved otherwise."""


class AmbiguousId(Conflict):
    """Several projects have a decision of this id; send `project_id`."""


class ProjectFull(Conflict):
    """A quota of the project is used up; `fields` says which."""


class BudgetTooSmall(Unprocessable):
    """Mission and constraints of a project do not fit the budget; `fields` says what they take."""


class UnknownSource(Unprocessable):
    """A source of a project names nothing, quotes what is not there, or is missing."""


class QuoteNotFound(Unprocessable):
    """A source of a project names nothing, quotes what is not there, or is missing."""


class SourceRequired(Unprocessable):
    """A source of a project names nothing, quotes what is not there, or is missing."""


class ProjectBusy(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""
