"""Every weight, threshold and budget of the service that is not a row, with its unit and its reason."""

from datetime import timedelta

# --- messages -------------------------------------------------------------------------------------------------------
SESSION_GAP = timedelta(minutes=30)  # a longer silence starts a new session (SPEC section 2)
FUTURE_TOLERANCE = timedelta(days=1)  # a message said later than this from now is refused (API.md)
MAX_CONTENT_CHARACTERS = 200_000  # longer text is a document, not a message
MAX_BATCH_MESSAGES = 500  # SPEC M-1

# --- facts ----------------------------------------------------------------------------------------------------------
INSTANT_CONFIDENCE = 0.95  # SPEC I-5
EVENT_CONFIDENCE = 0.85  # SPEC I-5: a date said in passing may be inexact
EVENT_DEFAULT_DAYS = 30  # SPEC F-5: an event with no date
MAX_EVIDENCE_MESSAGES = 20  # the oldest are dropped when a fact is renewed for the 21st time (D-5)
CONFIDENCE_CAPS = {"observation": 0.6, "analysis": 0.8, "confirmed_by_user": 1.0}  # SPEC F-4

# --- extraction -----------------------------------------------------------------------------------------------------
EXTRACTION_PENDING_MESSAGES = 15  # SPEC X-1

# --- forgetting -----------------------------------------------------------------------------------------------------
FORGET_GRACE = timedelta(days=30)  # D-28: after it a forget becomes an erasure of those messages

# --- erasure --------------------------------------------------------------------------------------------------------
ERASURE_STATEMENT_TIMEOUT_MS = 60_000  # hiding a part of a heavy user touches all of its messages in one transaction
ERASURE_LEASE = timedelta(minutes=15)  # a worker that has not finished by then is taken for dead
ERASURE_RECHECK_DELAY = timedelta(minutes=10)  # longer than any request that began before the fence went up

# --- locking --------------------------------------------------------------------------------------------------------
USER_LOCK_TIMEOUT_MS = 2_000  # D-6: then 503 user_busy
STATEMENT_TIMEOUT_MS = 10_000  # no request may hold a connection longer on one statement
