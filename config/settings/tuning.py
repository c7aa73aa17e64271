"""Every weight, threshold and budget of the service that is not a row, with its unit and its reason."""

from datetime import timedelta

# --- messages -------------------------------------------------------------------------------------------------------
SESSION_GAP = timedelta(minutes=30)  # a longer silence starts a new session (SPEC section 2)
FUTURE_TOLERANCE = timedelta(days=1)  # a message said later than this from now is refused (API.md)
MAX_CONTENT_CHARACTERS = 200_000  # longer text is a document, not a message
MAX_BATCH_MESSAGES = 500  # SPEC M-1
MAX_ID_CHARACTERS = 128  # a client's own id of a message, conversation or user
MAX_MOOD_CHARACTERS = 40  # one word or two
MAX_METADATA_CHARACTERS = 16_384  # as JSON: labels, not documents
# Users whose locks one transaction of a batch holds: a hundredth of a second each, so that nobody waits long.
STORED_TOGETHER = 50

# --- facts ----------------------------------------------------------------------------------------------------------
INSTANT_CONFIDENCE = 0.95  # SPEC I-5
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
CONFIRMED_CONFIDENCE = 0.8  # the least of what a user confirms: the gate lets nothing under it be a fact
MAX_FACT_KEY_CHARACTERS = 100  # of what an app states
MAX_FACT_VALUE_CHARACTERS = 2_000  # of what an app states
EXPIRED_AT_ONCE = 500  # users whose expired facts one run of the job closes
FACT_JOBS_KEPT = 20  # of each rule, the last ones
FACT_JOB_PAGE = 200  # users of a page of work on a rule's facts
FACT_JOB_SECONDS = 50.0  # then another task goes on: a large tenant must not keep a worker from everything else
FACT_JOB_STALE_AFTER = timedelta(minutes=2)  # a worker that has shown no sign for so long is taken for dead
SHOWN_FACTS = 500  # versions of keys on the page of a user
SHOWN_ACTIONS = 2_000  # actions that causes are looked for in
SHOWN_CONVERSATIONS = 100  # to choose from on the page of a user
SHOWN_MESSAGES = 60  # of a page of a conversation
REBUILD_MESSAGES_AT_ONCE = 500  # messages that a fold reads at once
EXPORT_ROWS_AT_ONCE = 500  # rows of an export that one short transaction reads

# --- chat -----------------------------------------------------------------------------------------------------------
# How long one process may answer a message before another may: twice what a model may take, and some for the rest.
CHAT_CLAIM = timedelta(seconds=60)
CHAT_WAIT_SECONDS = 25.0  # of a request whose message another is answering: longer than a model may take
CHAT_POLL_SECONDS = 0.25  # between two looks for its reply
CHAT_UNDERSTANDING_SECONDS = 5.0  # a model that is to say what a message wants; then the rules do
CHAT_SKILL_NAME_CHARACTERS = 100
CHAT_SKILL_CODE_CHARACTERS = 60

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
LAYERS_FROM = 800  # tokens of a pack: a smaller one holds two or three memories, and summaries would push them out
BRIEF_RULES_UNDER = 2_000  # tokens of a pack or window: the rules in full take 760, in brief 130
BRIEF_RULES_UNDER_BROAD = 4_000  # the same where many messages answer together, in a pack with episodes: they need room
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
DISK_LOOKED_AGAIN_SECONDS = 1.0  # how old what a process knows of its disks may be
DISK_REFUSED_SECONDS = 30.0  # so long after a write found no room none is tried

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
# Messages before the first new one of a conversation: a short answer means nothing without its question.
EXTRACTION_CONTEXT_MESSAGES = 2
# Then the task ends and the next beat goes on: slow answers must not take every worker from the other queues.
EXTRACTION_TASK_SECONDS = 50.0
EXTRACTION_EXPIRED_AT_ONCE = 500  # users whose expired candidates or items one run of the job closes
REVIEWED_CONFIDENCE = 0.9  # SPEC X-3: a person has looked at it; the user has not said it again
PACK_ITEMS = 5  # items in one pack: they are guesses, and evidence from search goes before them
PACK_ITEM_CONFIDENCE = 0.2  # of an item, decayed: after half a year without a mention it is not even worth a guess
PACK_ITEM_EXCERPT = 200  # characters of the user's own words beside a guess

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
PRECISIONS_LISTED = 50  # values of a slice: the most judged ones; more series than that no page and no graph can show
RULE_NOTICE = timedelta(hours=24)  # between the warning and the quarantine of an instant rule: a working day
QUARANTINE_LOWER_BOUND = 0.8  # of the precision of a slice (Wilson, 95 %); 28 right of 30 fall just under it
HARM_RATE = 0.03  # D-26: batch facts taken back over batch facts made
HARM_WINDOW = timedelta(days=7)
HARM_MIN_FACTS = 100

# --- rules ----------------------------------------------------------------------------------------------------------
TRIAL_PERCENT_ALONE = 50  # of users, the widest trial by its author where publishing needs a second person
RULES_POLL_SECONDS = 2.0  # between two looks at the version in force, by each process
RULES_STALE_SECONDS = 5.0  # after so long without a look a request waits for it
RULES_BUILD_WAIT_SECONDS = 4.0  # a request waits so long for a set that another thread builds
RULES_BUILT_AHEAD = 20  # sets of tenants that are built before somebody asks
PACK_MAX_BYTES = 4 << 20  # of a pack of rules that is brought in
PACK_MAX_FILES = 60  # of such a pack
PACK_MAX_NAME = 40  # characters of its name
REFUSALS_WAITING = 2_000  # refusals that a process holds before they are counted in the database
RULE_MIN_EXAMPLES = 2  # of each kind, that a rule brings along
RULE_MAX_MICROSECONDS = 50.0  # that a rule may cost a message
RULE_EXAMPLES_SHOWN = 3  # of those that a change reads a wrong fact from: more say nothing new to its author
RULE_TIMED_MESSAGES = 200  # messages that the cost is measured on

# --- requests -------------------------------------------------------------------------------------------------------
IDEMPOTENCY_KEPT_FOR = timedelta(hours=24)  # a retry comes within minutes; a client that slept over night within a day

# --- forgetting -----------------------------------------------------------------------------------------------------
FORGET_GRACE = timedelta(days=30)  # D-28: after it a forget becomes an erasure of those messages
MAX_FORGET_MESSAGES = 1_000  # of one forget; more is an erasure

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
MAX_ERASE_MESSAGES = 1_000  # named one by one; more is a conversation, a range or the user
ERASURE_BATCH_ROWS = 5_000  # rows that one transaction deletes
ERASURE_ROUNDS = 3  # a writer that was already past the fence may still land once
ERASURE_MAX_ATTEMPTS = 8  # then a person is told; the worker goes on trying
ERASURE_FIRST_DELAY = timedelta(minutes=1)  # after the first failure; it doubles with each further one
ERASURE_LONGEST_DELAY = timedelta(hours=6)  # the law counts in days
ERASURES_AT_ONCE = 100  # that one task claims
ERASURE_HIDDEN_AT_ONCE = 5_000  # message ids that a forget step is given at once
REWRITE_ERASURES_AT_ONCE = 10_000  # whose second stage one night finishes
REWRITE_CONNECT_SECONDS = 10  # to the database as its owner
REWRITE_PATIENCE_SECONDS = 30.0  # for the lock on a table; then the next night is soon enough
ERASED_LOOKED_AGAIN_SECONDS = 2.0  # how old what a process knows of erasures may be

# --- locking --------------------------------------------------------------------------------------------------------
USER_LOCK_TIMEOUT_MS = 2_000  # D-6: then 503 user_busy
STATEMENT_TIMEOUT_MS = 10_000  # no request may hold a connection longer on one statement
IDLE_TRANSACTION_MS = 600_000  # a process that hangs with a transaction open loses it, and the locks it holds

# --- events and webhooks --------------------------------------------------------------------------------------------
EVENT_DAYS = 30  # events are kept so long: a reader who was away for a holiday misses none
OAUTH_TIMEOUT_SECONDS = 3.0  # a request waits while keys of an authorization server are fetched
OAUTH_WAIT_SECONDS = 1.0  # requests wait so long for one that is asking; then they go on with the keys known
OAUTH_DOCUMENT_BYTES = 256 * 1024  # of its metadata or its keys; real ones have a few KB
OAUTH_MAX_KEYS = 50  # of a server; those beyond are passed over
OAUTH_KEYS_SECONDS = 600  # how long keys are used before they are fetched again
OAUTH_RETRY_SECONDS = 30  # between two fetches, whatever tokens come: nobody floods it through this service
OAUTH_STALE_SECONDS = 3_600  # how long the last keys go on while it cannot be reached
OAUTH_LEEWAY_SECONDS = 30  # clocks differ
OAUTH_TOKEN_CHARACTERS = 8_192  # proxies cut headers there
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

# --- corpora ----------------------------------------------------------------------------------------------------------
# Roots and sounds of names of corpora that a process keeps of questions: some megabytes, 90 if each has the most names.
KNOWLEDGE_KEPT_KEYS = 4_096
KNOWLEDGE_KEPT_ALIASES = 64  # of one of them; what more names share is read each time
# What a word of a question counts where an answer has only a word of its concept (1: the word itself). Concepts hold
# what is spoken of together (silk and wool, Paris and Dubai): good for finding a text, poor evidence that it answers.
KNOWLEDGE_TRANSLATED_WORD = 0.6  # in a text of another script, where a concept is how words are translated
KNOWLEDGE_RELATED_WORD = 0.3

# --- requests of privacy desks --------------------------------------------------------------------------------------
PRIVACY_ERASURE_WAIT = timedelta(hours=1)  # pending for so long: a desk that named the wrong person can cancel
PRIVACY_BATCH = 20  # requests claimed at a time: an access request reads a whole memory
PRIVACY_LEASE_SECONDS = 900  # of one: as long as an erasure's; a worker that died leaves it to the next after this
PRIVACY_POLL_WAIT = timedelta(seconds=30)  # until the erasure of a request is looked at again
PRIVACY_RETRY_WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60))  # the last one for ever
PRIVACY_RESULTS_KEPT = timedelta(days=7)  # so long results are given out, as the desks of other products expect
MAX_PRIVACY_CALLBACKS = 5  # addresses of one request

# --- the memory page -------------------------------------------------------------------------------------------------
VISIT_LENGTH = timedelta(hours=1)  # of a session of the memory page: long enough to read, short on a shared device
VISIT_REQUESTS_PER_MINUTE = 240  # of one session: a person who reads quickly, and no scraper
LINK_SECONDS = 600  # that a link may be opened where the app names no time: it is made when the person asks
MAX_LINK_SECONDS = 7 * 24 * 3600  # a link that is sent by mail
VISITS_KEPT = timedelta(days=90)  # as receipts: so long it can be said when the page was opened
VISITS_DROPPED_AT_ONCE = 5_000
MAX_PAGE_ORIGINS = 20  # sites of a tenant that may embed the page
PAGE_CONTRAST = 4.5  # of text, WCAG 1.4.3
PAGE_REFRESH_SECONDS = 10  # a page that follows an erasure looks again
PAGE_COLOURS_CACHED_SECONDS = 7 * 24 * 3600  # a colour is in the address of its style sheet
PAGE_EPISODES = 50  # of one page; older ones are a click away
PAGE_ITEMS = 100  # kept items of one page
KEPT_LOOKED_THROUGH = 10_000  # kept items among which one is looked for by its id
PAGE_SOURCES = 60  # words of one reply that are listed as left out

# --- imports ---------------------------------------------------------------------------------------------------------
IMPORT_LINES_AT_ONCE = 500  # lines of an export that one transaction takes over
IMPORT_MAX_ITEMS = 5_000  # of a list in one field of a line
IMPORT_MAX_CODE = 200  # characters of a code in a line
IMPORT_MAX_JSON = 20_000  # characters of a field that is JSON
IMPORT_LONGEST_LINE = 16 * 2**20  # bytes; a message of the greatest length with all its fields is a tenth of it
IMPORT_LARGEST_DOCUMENT = 256 * 2**20  # bytes of a foreign export, which is one JSON document and read whole
# Bytes of a file that a request imports before it answers. A mebibyte of plain messages is some 6,000 of them and takes
# about 5 s of one core; larger files answer 202, and a worker takes them.
IMPORT_ANSWERED_AT_ONCE = 2**20
IMPORT_PART_BYTES = 2**20  # of a file that waits for a worker, sealed in pieces
# A worker that has not locked the import, or not stored a piece, by then is taken for dead: a piece takes seconds.
IMPORT_LEASE = timedelta(minutes=3)
IMPORT_MAX_ATTEMPTS = 4  # one that kills its worker each time would keep the others from their work
IMPORT_RETRY_WAIT = timedelta(seconds=30)  # until one that met a busy user, or a failure, is tried again
IMPORT_KEPT_FOR = timedelta(days=7)  # how long an operation that is over can be asked for
IMPORT_PROGRESS_KEPT_SECONDS = 3_600  # after its last sign; a piece takes seconds
IMPORT_LATE_AFTER = timedelta(minutes=30)  # the largest file over HTTP takes a few minutes

# --- corpora ---------------------------------------------------------------------------------------------------------
# What one transaction of import_corpus takes. Each name that comes later has the texts before it read again: few large
# batches read less than many small ones. Its texts and edges bound the memory of a batch:
# 6,000 passages of 480 characters make a process of 360 MB.
CORPUS_IMPORT_ITEMS = 10_000
CORPUS_IMPORT_CHARACTERS = 4_000_000
CORPUS_IMPORT_EDGES = 30_000

# --- keys ------------------------------------------------------------------------------------------------------------
KEY_USE_NOTED_EVERY = timedelta(minutes=1)  # the last use of a key is known to the minute

# --- corrections and their review ------------------------------------------------------------------------------------
TURN_LIFETIME = timedelta(hours=24)  # A bare "no" answers what was said right before; after a day it answers nothing
ECHO_MESSAGES = 20  # messages of the conversation in which the source of a copy is looked for
BACKTEST_PAGE = 500  # messages that one transaction reads
BACKTEST_SCANNED_PER_WANTED = 20  # messages looked at for each one that is wanted of a language
BACKTEST_SAMPLES = 25  # of each kind of change
BACKTEST_FACT_LOOKUPS = 500  # users whose facts are read to tell what a change would supersede
BACKTESTS_KEPT = 10  # of each rule or entry, the last ones
REVIEW_MAX_ASSIGNED = 500  # items given to a person at once
REVIEW_LISTED = 5_000  # the newest items that choices are counted over
REVIEW_MAX_SAMPLES = 500  # drawn at once
# Messages that are drawn for each one that is wanted, before those that say something known are left out.
REVIEW_POOL = 20

# --- search, packs and receipts --------------------------------------------------------------------------------------
GUARD_THRESHOLD_CACHED_SECONDS = 60.0  # a calibration holds within a minute
SEARCH_DEADLINE_MS = 2_000  # of the dot products of a search; words alone answer when they take longer
REWRITE_DEADLINE_MS = 1_500  # of a model that words a question in other ways
EMBED_DEADLINE_MS = 1_000  # of a question, where the embedder is not built in
EMBED_TIMEOUT_SECONDS = 10.0  # of one request to a provider
EMBED_MAX_REFUSED = 3  # after so many messages of a portion were refused one by one, the rest waits for another turn
EMBED_MAX_ATTEMPTS = 3  # then a message is an orphan and waits for the sweep
EMBED_ORPHANS_A_SWEEP = 5_000  # four sweeps a day: what is refused for good costs no more requests than that
FORGOTTEN_AT_ONCE = 500  # index rows that one statement hides
EMBED_FIRST_REST = timedelta(seconds=30)  # after the first failure; it doubles with each further one
EMBED_LONGEST_REST = timedelta(minutes=10)  # how late vectors are at most once the provider is back
EMBED_LONGEST_WISH = timedelta(hours=1)  # A `Retry-After` is heeded up to this
SNIPPET_LOOK_BACK = timedelta(minutes=3)  # what was missed is made after its next retrieval
SNIPPETS_AT_ONCE = 200  # messages that one task makes snippets of
SNIPPET_LABELS_A_QUESTION = 10  # snippets that one question to a model asks for
RECEIPT_DAYS_AHEAD = 14  # partitions made ahead: two weeks without the job do no harm
RECEIPT_DAYS_KEPT = 90  # then their partition goes
RECEIPT_LEFT_OUT = 200  # facts of one user that a receipt explains
RECEIPT_LEFT_OUT_LINES = 30  # messages without room for a line that a receipt names, best first: more are not worth it
USEFULNESS_LOOK_BACK = timedelta(days=30)  # a night that was missed is made up for within it
USEFULNESS_AT_ONCE = 500  # users of one round
RECEIPT_CANDIDATES = 50  # that a receipt explains
JUDGED_REPLIES = 100  # of a batch: history that is brought in needs no judgement
JUDGED_QUESTION_WITHIN = 4  # messages before a reply among which its question is looked for
# Beyond the time limit of dot products, until a server that says nothing is waited for no more.
SEARCH_GRACE_SECONDS = 1.0
EMBED_AT_ONCE = 64  # messages in one request to a provider
EMBED_PORTIONS = 50  # then the task ends and the next beat goes on, so that a worker can be stopped
EMBED_PLANNED = 10_000  # tasks planned at once: a list that a worker gets through in minutes
EMBED_PLANNED_AGAIN = 60  # seconds until it is seen whether the list has become short enough for more
MAX_TOP_K = 100  # hits of one search
CARDS_TO_SPARE = 3  # considered beyond the density cap: one that does not fit gives its place to a smaller one
RERANKED = 60  # age and usefulness move a score by a tenth at most, so they cannot bring up what lies further down
TRACED_CANDIDATES = 20  # that an answer with a trace explains
REWRITE_QUERIES = 3  # other wordings of a question
REWRITE_QUERY_CHARACTERS = 300  # of each
EMBED_MAX_CHARACTERS = 8_000  # of a text that goes to a provider; the rest is left out
EMBED_TEXTS_A_REQUEST = 64  # texts in one request
EMBED_MAX_ANSWER_BYTES = 16_000_000  # 64 vectors of 4,096 numbers are some 6 MB of JSON

# --- quality (SPEC) -----------------------------------------------------------------------------------------
# BRAIN 2.3.2.2: passes, fails, window, samples under which a figure only counts as OBSERVE, unit. One late erasure is
# one too many, and a drill of a fail-over is one figure.
QUALITY_LEVELS = {
    "staleness_rate": (0.15, 0.25, timedelta(days=7), 30, "share"),
    "conflict_rate": (0.10, 0.15, timedelta(days=30), 30, "share"),
    "injection_quality": (0.55, 0.40, timedelta(days=7), 30, "share"),
    "retrieval_latency_p95": (200.0, 500.0, timedelta(hours=1), 30, "ms"),
    "context_overflow_rate": (0.05, 0.15, timedelta(days=1), 30, "share"),
    "deletion_timeout_rate": (0.0, 0.0, timedelta(days=7), 1, "share"),
    "receipt_completeness_rate": (0.99, 0.95, timedelta(days=1), 30, "share"),
    "evolution_throughput": (100.0, 20.0, timedelta(days=1), 30, "messages a minute"),
    "tombstone_completion": (0.80, 1.00, timedelta(days=30), 1, "of the deadline"),
    "receipt_five_tuple": (1.0, 0.95, timedelta(days=1), 30, "share"),
    "failover": (0.80, 1.00, timedelta(days=180), 1, "of what is allowed"),
    "retrieval_miss_rate": (0.10, 0.10, timedelta(days=7), 30, "share"),
    "user_repeated_info": (0.05, 0.05, timedelta(days=7), 30, "share"),
}
QUALITY_OBSERVE_RELEASES = 3  # running, after which OBSERVE is FAIL (BRAIN 2.3.2.2)
QUALITY_STALE_AFTER = timedelta(days=180)  # without a confirmation: from then on the effective confidence is .3 (S-3)
QUALITY_CHAIN = 3  # values that followed each other under one key: a conflict (BRAIN 2.3.2)
QUALITY_HOURLY_DAYS = 14  # of the trend; from older days the last figure of each is kept
QUALITY_TREND_DAYS = 400  # until a figure is dropped
# Offline measures (docs/quality.md has what these numbers find in the labelled conversations).
RETOLD_MIN_WORDS = 3  # content words of a sentence that tells something
RETOLD_SHARE = 0.6  # of their weight, that an older sentence holds if it says the same
RETOLD_RARE_WORDS = 2  # of the shared ones, at least
RETOLD_RARE_SHARE = 0.01  # of a user's messages, in which a rare word is at most
RETOLD_RARE_MESSAGES = 4  # or in so many, where the user has said little
RETOLD_SENTENCE_CHARACTERS = 400  # a longer one is looked at in pieces
EXCHANGE_QUESTION_WITHIN = timedelta(minutes=10)  # of a pack, until a message is not what it was made for
EXCHANGE_ANSWER_WITHIN = timedelta(minutes=30)  # one sitting, as search has it
EXCHANGE_MESSAGES = 3  # of the user after a question, in which the answer may still be said
REPEAT_WITHIN = timedelta(days=90)  # KSP: what was said longer ago may be said again
REPEAT_APART = timedelta(days=1)  # twice on one day is emphasis
REPEAT_PACKS = 2  # KSP: the last relevant ones, which all lacked it
REPEAT_PACKS_LOOKED_AT = 50  # packs before a repeat, newest first, among which relevant ones are looked for
OFFLINE_USERS_AT_ONCE = 200  # read together by a run; each is measured by itself
OFFLINE_TOLD_EVERY = 50  # users, until a command says again how far it is
OFFLINE_STALE_AFTER = timedelta(days=2)  # a run that has stood still for so long is begun anew
OFFLINE_NOT_AGAIN_WITHIN = timedelta(hours=12)  # of a run, until a nightly sample is begun: one a night
OFFLINE_NIGHT_SECONDS = 600.0  # that a nightly call works for one tenant and measure; the next call goes on
GATE_FALL = 0.01  # what recall at 10 and precision may lose by a change of recipe: two questions in 200
GATE_FALL_OF_KIND = 0.03  # the same of one kind of question: one in 30
GATE_MIN_QUESTIONS = 30  # of a kind, under which its figure is chance; under it in all nothing is accepted
FAILOVER_SECONDS = 30.0  # until writes go on (O-3)
FAILOVER_LOST_SECONDS = 1.0  # of acknowledged writes (BRAIN 2.3.2.2)
# Of packs and searches: 95 in 100 are fast and uncut, 99 in 100 have a complete receipt (BRAIN 2.3.2).
ERROR_BUDGETS = {"retrieval_latency_p95": 0.05, "context_overflow_rate": 0.05, "receipt_completeness_rate": 0.01}
GOVERNOR_LIMITS = {"staleness_rate": 0.20, "conflict_rate": 0.10}  # BRAIN 2.3.2: above them the governor acts
GOVERNOR_AT_ONCE = 500  # facts that one action puts in doubt
# BRAIN 2.3.2.5: uses, what they must say, and by how much confidence moves.
CALIBRATION_RAISE = (10, 0.8, 0.1)  # uses, more than this share of them positive
CALIBRATION_CORRECTED = (5, 2, 0.15)  # uses, at least so many corrected
CALIBRATION_UNUSED = (5, 0.3, 0.2)  # uses, less than this share of them positive
CALIBRATION_FLOOR = 0.1  # of a confidence that feedback lowers
CALIBRATION_LOOK_BACK = timedelta(days=180)  # what was said of older packs says little about the fact of today
CALIBRATION_SECONDS = 50.0  # of one call; the next beat goes on
CALIBRATION_NIGHTS = 7  # that the console lists
CALIBRATION_REPORTED = 100  # users after which the command says how far it is
CALIBRATION_USERS_AT_ONCE = 200  # users that are looked up together; each is a transaction of its own
REMOVAL_CONFIDENCE = 0.2  # under it a person decides; also in the index facts_that_are_hardly_believed
REMOVALS_A_PAGE = 30  # facts to decide about
MERGE_SIMILARITY = 0.85  # BRAIN 2.3.0.1 D: tastes and habits more alike than this are one
MERGE_AT_LEAST = 3  # of them
LATENCY_GOOD_MS = 200.0  # BRAIN 2.3.2: a slower pack or search uses up the error budget

# --- requests, console and health ------------------------------------------------------------------------------------
MAX_PAGE = 200  # rows of one page of a listing
FORGET_BY_QUERY_LIMIT = 50  # hits that a query may select; a person reads the list before the run
EXPORT_PIECE_BYTES = 64 * 1024  # of an export, sent at once
THROTTLE_PAUSE_SECONDS = 5.0  # after the cache was out of reach requests are let through so long without asking it
FIGURE_TIMEOUT_MS = 2_000  # of one number of the start page
LOGIN_MAX_FAILURES = 10  # D-32: then a login waits until the window is over
LOGIN_WINDOW_SECONDS = 15 * 60  # D-32
MAX_DAILY_TOKENS = 2_000_000_000  # that a tenant may set for itself
MAX_RETENTION_DAYS = 36_500  # a century: more is for ever
RETENTION_USERS_AT_ONCE = 100  # looked for by one statement, and shown on one page
PURPOSE_NAME_CHARACTERS = 80  # a heading on a phone
PURPOSE_TEXT_CHARACTERS = 1_000  # a paragraph that people still read
RETENTION_SECONDS = 50.0  # of one call of the nightly task; the next one goes on
RETENTION_RUNS_SHOWN = 14  # two weeks of nights
MAX_PURPOSES = 30  # of a tenant: a person reads all of them on one page
MAX_CLOCK_SKEW = timedelta(seconds=2)  # between the machine and the database
BEAT_SILENCE = timedelta(minutes=10)  # beat sends something every minute; after so long without it, it does not run
DOCTOR_LONGEST_WAIT = timedelta(hours=4)  # of messages for extraction, before doctor says so
DOCTOR_PING_SECONDS = 2.0  # for workers to answer
