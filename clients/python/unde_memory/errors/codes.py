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

    code = "import_inconsistent"


class NulByte(BadRequest):
    """Remove the character; `fields` says where."""

    code = "nul_byte"


class UnstorableText(BadRequest):
    """Remove the character; `fields` says where."""

    code = "unstorable_text"


class UserRequired(BadRequest):
    """Name the user in `X-UNDE-User`, or use a key for one user."""

    code = "user_required"


class InvalidCursor(BadRequest):
    """Start the list again."""

    code = "invalid_cursor"


class InvalidSchema(BadRequest):
    """The schema of a corpus contradicts itself; `fields` says where."""

    code = "invalid_schema"


class SoftType(BadRequest):
    """This is not stored as a fact, or not at all; `message` says why."""

    code = "soft_type"


class UnsafeBlock(BadRequest):
    """This is not stored as a fact, or not at all; `message` says why."""

    code = "unsafe_block"


class MissingKey(Unauthenticated):
    """Send the header `Authorization: Bearer <key>`."""

    code = "missing_key"


class MissingBearer(Unauthenticated):
    """The header must be the word `Bearer`, a space and the key."""

    code = "missing_bearer"


class InvalidKey(Unauthenticated):
    """The key is unknown, revoked or expired."""

    code = "invalid_key"


class SessionOver(Unauthenticated):
    """The session of a memory page has ended; make a new link."""

    code = "session_over"


class MissingPermission(Forbidden):
    """The link of the memory page does not list it."""

    code = "missing_permission"


class BadFormToken(Forbidden):
    """With a cookie, send the `form_token` of `GET /v1/me` in `X-Form-Token`."""

    code = "bad_form_token"


class MissingScope(Forbidden):
    """Use a key that has the scope."""

    code = "missing_scope"


class OtherUser(Forbidden):
    """The key is for one user, and the request names another."""

    code = "other_user"


class TenantKeyNeeded(Forbidden):
    """The key is for one user; the call is about the tenant, or does not name that user."""

    code = "tenant_key_needed"


class UserNotFound(NotFound):
    """Not in this tenant; objects of other tenants answer the same."""

    code = "user_not_found"


class ReceiptNotFound(NotFound):
    """Likewise."""

    code = "receipt_not_found"


class CorrectionNotFound(NotFound):
    """Likewise."""

    code = "correction_not_found"


class MethodNotAllowed(BadRequest):
    """`Allow` lists the methods."""

    code = "method_not_allowed"


class ConstraintViolated(Conflict):
    """The request contradicts what is stored."""

    code = "constraint_violated"


class ImportGoesOn(Conflict):
    """Another import for this user is not finished; `fields` names its operation."""

    code = "import_goes_on"


class ImportErased(Conflict):
    """Of an operation: a part of the user was erased while the file waited. Send the file again."""

    code = "import_erased"


class IdTaken(Conflict):
    """The request contradicts what is stored."""

    code = "id_taken"


class DuplicateId(Conflict):
    """The request contradicts what is stored."""

    code = "duplicate_id"


class FactInactive(Conflict):
    """It was closed, undone or done before."""

    code = "fact_inactive"


class ForgetOver(Conflict):
    """It was closed, undone or done before."""

    code = "forget_over"


class PlanUsed(Conflict):
    """It was closed, undone or done before."""

    code = "plan_used"


class SampleTaken(Conflict):
    """It was closed, undone or done before."""

    code = "sample_taken"


class VersionConflict(Conflict):
    """The kept item was changed in between; read it again."""

    code = "version_conflict"


class AnswerForgotten(Conflict):
    """Carried out before; a message that the answer shows was forgotten since."""

    code = "answer_forgotten"


class UserErased(Conflict):
    """Nothing is written for the erased; a returning customer needs a new id."""

    code = "user_erased"


class MemoryPaused(Conflict):
    """The user has paused their memory, and nothing new is kept; reply without it and do not try again."""

    code = "memory_paused"


class ConsentMissing(Conflict):
    """The user has not agreed that this is kept: reply without it and do not try again."""

    code = "consent_missing"


class ErasedPeriod(Conflict):
    """Nothing is written for the erased; a returning customer needs a new id."""

    code = "erased_period"


class SchemaConflict(Conflict):
    """Records or the plan of the corpus do not fit the new schema and nothing was changed; `fields` says which."""

    code = "schema_conflict"


class LinkOver(Gone):
    """The link was used or is too old; make a new one."""

    code = "link_over"


class ReceiptPruned(Gone):
    """Receipts are kept for a number of days, and this one is older."""

    code = "receipt_pruned"


class BodyTooLarge(BadRequest):
    """Send less at once."""

    code = "body_too_large"


class UnknownReceipt(Unprocessable):
    """The receipt is not one of this user's."""

    code = "unknown_receipt"


class KeptQuotaReached(Unprocessable):
    """The user keeps as many items as a user may; delete some."""

    code = "kept_quota_reached"


class IdempotencyKeyReused(Unprocessable):
    """Use a new `Idempotency-Key` for each request."""

    code = "idempotency_key_reused"


class RateLimited(Unavailable):
    """Wait for `Retry-After` seconds."""

    code = "rate_limited"


class ImportInterrupted(ServerFault):
    """Of an operation: the import was interrupted too often. Send smaller files."""

    code = "import_interrupted"


class ImportBroken(ServerFault):
    """Of an operation: the import failed for a reason that is in the log of the service."""

    code = "import_broken"


class LedgerDrift(ServerFault):
    """Nothing was stored; tell the operator."""

    code = "ledger_drift"


class SealBroken(ServerFault):
    """Nothing was stored; tell the operator."""

    code = "seal_broken"


class UserKeyLost(ServerFault):
    """Nothing was stored; tell the operator."""

    code = "user_key_lost"


class MasterKeyMissing(ServerFault):
    """Nothing was stored; tell the operator."""

    code = "master_key_missing"


class MasterKeysInvalid(ServerFault):
    """Nothing was stored; tell the operator."""

    code = "master_keys_invalid"


class UserBusy(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""

    code = "user_busy"


class CorpusBusy(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""

    code = "corpus_busy"


class TryAgain(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""

    code = "try_again"


class Timeout(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""

    code = "timeout"


class DatabaseUnavailable(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""

    code = "database_unavailable"


class KeyStoreUnavailable(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""

    code = "key_store_unavailable"


class StorageFull(Unavailable):
    """The disk is full and nothing new is stored; reading, forgetting and erasing still work."""

    code = "storage_full"


class FactsUnavailable(Unavailable):
    """Facts cannot be read, so there is no pack; `allow_without_facts` asks for one that says so."""

    code = "facts_unavailable"


class OutcomeUnknown(Unavailable):
    """The connection was lost during COMMIT; send the same request with the same id again."""

    code = "outcome_unknown"


class TooManyUploads(Unavailable):
    """This address has 48 requests whose bodies have not arrived; finish them first."""

    code = "too_many_uploads"


class UnknownEdge(BadRequest):
    """The corpus has no such edge, or its plan no such intent with a path; `fields` says which."""

    code = "unknown_edge"


class UnknownIntent(BadRequest):
    """The corpus has no such edge, or its plan no such intent with a path; `fields` says which."""

    code = "unknown_intent"


class InvalidPlan(BadRequest):
    """An intent of a plan is not valid; `fields` names it."""

    code = "invalid_plan"


class PlanNotFound(NotFound):
    """Likewise."""

    code = "plan_not_found"


class PlanNotDraft(Conflict):
    """It is closed, undone or used already."""

    code = "plan_not_draft"


class EpisodeNotFound(NotFound):
    """Likewise."""

    code = "episode_not_found"


class AddressRefused(BadRequest):
    """Choose a public `https` address; `fields` says what is wrong."""

    code = "address_refused"


class TooManyWebhooks(Conflict):
    """Delete a webhook first."""

    code = "too_many_webhooks"


class WebhookDisabled(Conflict):
    """Send the webhook again with PUT to enable it."""

    code = "webhook_disabled"


class EventsExpired(Gone):
    """Read the present state anew, then start without `after`."""

    code = "events_expired"


class ModelNotConfigured(Conflict):
    """The service has no model to talk with. The message is stored."""

    code = "model_not_configured"


class ModelUnavailable(Unavailable):
    """The model gave no reply. The message is stored: the same call with the same id goes on from there."""

    code = "model_unavailable"


class TurnRunning(Unavailable):
    """Another request is answering this very message: the same call gets its reply."""

    code = "turn_running"


class ForeignOrigin(Forbidden):
    """`/mcp` under a host, or from a page, that the installation does not know."""

    code = "foreign_origin"


class InvalidToken(Unauthenticated):
    """The access token is not valid for this resource."""

    code = "invalid_token"


class InsufficientScope(Forbidden):
    """The authorization server did not give the token the scope that this resource needs."""

    code = "insufficient_scope"


class AuthorizationServerUnavailable(Unavailable):
    """The token cannot be checked now; try again."""

    code = "authorization_server_unavailable"


class McpUnavailable(Unavailable):
    """Nothing was done; try again."""

    code = "mcp_unavailable"


class InvalidTransition(Conflict):
    """A decision cannot take this state from the one that it has."""

    code = "invalid_transition"


class ConflictResolved(Conflict):
    """A contradiction was resolved otherwise."""

    code = "conflict_resolved"


class AmbiguousId(Conflict):
    """Several projects have a decision of this id; send `project_id`."""

    code = "ambiguous_id"


class ProjectFull(Conflict):
    """A quota of the project is used up; `fields` says which."""

    code = "project_full"


class BudgetTooSmall(Unprocessable):
    """Mission and constraints of a project do not fit the budget; `fields` says what they take."""

    code = "budget_too_small"


class UnknownSource(Unprocessable):
    """A source of a project names nothing, quotes what is not there, or is missing."""

    code = "unknown_source"


class QuoteNotFound(Unprocessable):
    """A source of a project names nothing, quotes what is not there, or is missing."""

    code = "quote_not_found"


class SourceRequired(Unprocessable):
    """A source of a project names nothing, quotes what is not there, or is missing."""

    code = "source_required"


class ProjectBusy(Unavailable):
    """Nothing was stored; try again after `Retry-After` seconds."""

    code = "project_busy"
