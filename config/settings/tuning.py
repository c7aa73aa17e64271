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
# A fact that nobody has said or confirmed for so long counts as outdated: it may have changed. SPEC S-3 gives the least
# weight to what is older than 180 days; bodies change more slowly than budgets and brands. Allergies and bans are not
# here: they hold until they are taken back. An event ends on a day of its own.
OUTDATED_AFTER = {
    "budget": timedelta(days=180),
    "brand_preference": timedelta(days=180),
    "body_params": timedelta(days=365),
    "onboarding_style": timedelta(days=365),
}
MAX_EVIDENCE_MESSAGES = 20  # the oldest are dropped when a fact is renewed for the 21st time (D-5)
CONFIDENCE_CAPS = {"observation": 0.6, "analysis": 0.8, "confirmed_by_user": 1.0}  # SPEC F-4

# --- packs ----------------------------------------------------------------------------------------------------------
# Tokens that a model reads and writes at most, by pattern of its name, first fit first; a tenant may set its own. Where
# makers offer several sizes under one name, the smallest counts: a pack that is too short does no harm.
MODEL_WINDOWS = {
    "gpt-5*": 272_000,
    "gpt-4.1*": 1_000_000,
    "gpt-4o*": 128_000,
    "gpt-4-turbo*": 128_000,
    "gpt-4-32k*": 32_768,
    "gpt-4*": 8_192,
    "gpt-3.5-turbo*": 16_385,
    "gpt-oss*": 131_072,
    "o1*": 128_000,
    "o3*": 200_000,
    "o4*": 200_000,
    "claude*": 200_000,
    "gemini*": 1_000_000,
    "gemma-2*": 8_192,
    "gemma2*": 8_192,
    "gemma-3-1b*": 32_768,
    "gemma-3*": 128_000,
    "gemma3:1b*": 32_768,
    "gemma3*": 128_000,
    "llama-2*": 4_096,
    "llama2*": 4_096,
    "llama-3.?*": 128_000,
    "llama3.?*": 128_000,
    "llama-3*": 8_192,
    "llama3*": 8_192,
    "mixtral-8x22b*": 65_536,
    "mixtral*": 32_768,
    "mistral-large*": 128_000,
    "mistral*": 32_768,
    "qwen*": 32_768,
    "deepseek*": 64_000,
    "command-r*": 128_000,
    "phi-4*": 16_384,
}
REPLY_SHARE = 0.25  # of a window under the budget's total that is kept for the answer, where the slot asks for more
# --- figures --------------------------------------------------------------------------------------------------------
REFUSALS_WRITTEN_AFTER = timedelta(seconds=2)  # counted in the process until then: writers share few rows

# --- disks ----------------------------------------------------------------------------------------------------------
# The smaller of the two counts: a share alone would ask for 100 GB of a large disk, bytes alone for all of a small one.
DISK_LOW_BYTES = 5 * 2**30  # under it readiness, doctor and an alert say so
DISK_LOW_RATIO = 0.10
DISK_RESERVE_BYTES = 256 * 2**20  # under it nothing new is stored: 16 segments of PostgreSQL's log are left
DISK_RESERVE_RATIO = 0.05
DISK_BALLAST_BYTES = 64 * 2**20  # a file of the launcher gives them up when others have filled the disk to the end
DISK_BALLAST_RATIO = 0.04

# --- extraction -----------------------------------------------------------------------------------------------------
EXTRACTION_PENDING_MESSAGES = 15  # SPEC X-1
EXTRACTION_LONGEST_WAIT = timedelta(hours=2)  # SPEC X-1: then a few pending messages are read too
EXTRACTION_MIN_GAP = timedelta(hours=1)  # SPEC X-1: a user is read at most once in it, unless a backlog is left
EXTRACTION_REPEAT_GAP = timedelta(minutes=5)  # SPEC X-1: the same messages are not read again within it
EXTRACTION_LEASE = timedelta(minutes=15)  # a worker that has not finished by then is taken for dead
EXTRACTION_BACKOFF = (timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2), timedelta(hours=6))
EXTRACTION_MAX_FAILURES = 5  # answers of no use to the same messages; then they are left to RAW and the user goes on
EXTRACTION_ANSWER_KEPT = timedelta(days=1)  # an answer that was paid for and not applied is used within this time
EXTRACTION_DAILY_TOKENS = 2_000_000  # of a tenant a day (UTC), unless the tenant's settings say otherwise
CANDIDATE_LIFETIME = timedelta(days=90)  # a second evidence that comes later is a first one

# --- episodes -------------------------------------------------------------------------------------------------------
CUT_LEASE = timedelta(minutes=10)  # a worker that has not finished by then is taken for dead

# --- review of what extraction did ----------------------------------------------------------------------------------
REVIEW_SHARE = 0.01  # SPEC X-4
REVIEW_SHARE_PROVEN = 0.001  # SPEC X-4: under 2 % wrong for two weeks
REVIEW_PROVEN_ERROR = 0.02
REVIEW_PROVEN_SAMPLES = 100  # fewer prove nothing about 2 %
REVIEW_PAUSE_ERROR = 0.05  # SPEC X-4: above it extraction pauses
REVIEW_WINDOW = timedelta(days=14)
REVIEW_MIN_SAMPLES = 30  # D-26: under this number nothing alarms
REVIEW_LOCK = timedelta(minutes=10)  # how long a sample is one reviewer's
QUARANTINE_LOWER_BOUND = 0.8  # of the precision of a slice (Wilson, 95 %); 28 right of 30 fall just under it
HARM_RATE = 0.03  # D-26: batch facts taken back over batch facts made
HARM_WINDOW = timedelta(days=7)
HARM_MIN_FACTS = 100

# --- rules ----------------------------------------------------------------------------------------------------------
TRIAL_PERCENT_ALONE = 50  # of users, the widest trial by its author where publishing needs a second person

# --- requests -------------------------------------------------------------------------------------------------------
IDEMPOTENCY_KEPT_FOR = timedelta(hours=24)  # a retry comes within minutes; a client that slept over night within a day

# --- forgetting -----------------------------------------------------------------------------------------------------
FORGET_GRACE = timedelta(days=30)  # D-28: after it a forget becomes an erasure of those messages

# --- kept items -----------------------------------------------------------------------------------------------------
KEPT_ITEMS_OF_A_USER = 10_000  # a search opens all of them under a namespace: some 100 ms
KEPT_BYTES_OF_A_USER = 64 * 2**20  # sealed, older versions included
KEPT_DOCUMENT_BYTES = 256 * 2**10  # of one document as JSON; larger ones belong into a store of files
KEPT_VERSIONS = 10  # of a document, the newest included: enough to undo what an agent did in one run

# --- erasure --------------------------------------------------------------------------------------------------------
ERASURE_STATEMENT_TIMEOUT_MS = 60_000  # hiding a part of a heavy user touches all of its messages in one transaction
ERASURE_LEASE = timedelta(minutes=15)  # a worker that has not finished by then is taken for dead
ERASURE_RECHECK_DELAY = timedelta(minutes=10)  # longer than any request that began before the fence went up
REWRITE_GAP = timedelta(hours=20)  # the tables are written anew once a night at most
REWRITE_LARGEST_BYTES = 20 * 2**30  # a larger table is locked for minutes: a person chooses the hour

# --- locking --------------------------------------------------------------------------------------------------------
USER_LOCK_TIMEOUT_MS = 2_000  # D-6: then 503 user_busy
STATEMENT_TIMEOUT_MS = 10_000  # no request may hold a connection longer on one statement

# --- events and webhooks --------------------------------------------------------------------------------------------
EVENT_DAYS = 30  # events are kept so long: a reader who was away for a holiday misses none
MAX_WEBHOOKS = 20  # endpoints of a tenant; each gets its own copy of every event
WEBHOOK_BATCH = 200  # events numbered, and deliveries claimed, at a time
WEBHOOK_TIMEOUT_SECONDS = 15.0  # Standard Webhooks advises 15 to 30: a receiver should store and answer
WEBHOOK_LEASE_SECONDS = 120  # a sender that died leaves its deliveries to the next after this
WEBHOOK_RETRY_WAITS = tuple(
    timedelta(seconds=seconds) for seconds in (5, 300, 1_800, 7_200, 18_000, 18_000, 18_000, 18_000)
)  # nine attempts in about 22 hours
WEBHOOK_RETRY_JITTER = 0.2  # share of a pause, either way
WEBHOOK_OVERLAP_HOURS = 24  # after a rotation the former secret signs too
WEBHOOK_FAILING_DAYS = 5  # an endpoint that took nothing for so long is disabled

# --- projects -------------------------------------------------------------------------------------------------------
PROJECTS_OF_A_TENANT = 10_000
PROJECT_MAX_FACT_VERSIONS = 100_000  # of a project: a quota against runaway agents
PROJECT_MAX_DECISIONS = 20_000
PROJECT_MAX_THREADS = 2_000
PROJECT_MAX_LINKS = 100_000
PROJECT_MAX_ARTIFACTS = 20_000
PROJECT_MAX_SNAPSHOTS = 100_000
PROJECT_SNAPSHOT_TOKENS = 2_000  # of a snapshot where the caller names no budget
PROJECT_CONTEXT_TOKENS = 4_000  # of a context bundle where the caller names no budget
PROJECT_SNAPSHOT_KEPT = timedelta(minutes=12)  # MAAS: a snapshot is used again for 10 to 15 minutes
PROJECT_RUNS_KEPT = timedelta(days=30)  # what the monitor's figures look back on
