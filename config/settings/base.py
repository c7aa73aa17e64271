"""Settings read from the environment. Nothing here needs a running server.

Without DATABASE_URL and REDIS_URL the addresses of the embedded servers are computed from the data directory, so that a
laptop and production differ in addresses alone.
"""

import tomllib
from pathlib import Path
from types import ModuleType
from typing import cast

import environ
from celery.schedules import crontab
from django.urls import reverse_lazy

from config.launch import paths
from config.launch.embedded import reserve
from config.observability.figure_files import reserve_figure_files
from config.settings import tuning

reserve_figure_files()  # before any room makes a counter
env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent.parent
UNDE_VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

# --- the service itself ---------------------------------------------------------------------------------------------
UNDE_DATA_DIR = paths.data_dir()
UNDE_ENVIRONMENT = env.str("UNDE_ENVIRONMENT", "embedded")
UNDE_DEV_API_KEY = env.str("UNDE_DEV_API_KEY", "")
UNDE_MASTER_KEYS = env.str("UNDE_MASTER_KEYS", "")
UNDE_KEY_DIR = Path(env.str("UNDE_KEY_DIR", str(UNDE_DATA_DIR / "keys")))
UNDE_KEY_DATABASE_URL = env.str("UNDE_KEY_DATABASE_URL", "")
UNDE_TUNING: ModuleType = tuning
UNDE_RESERVE_FILE = reserve.FILE_NAME  # beside the embedded cluster; the launcher empties it on a full disk

# --- erasure --------------------------------------------------------------------------------------------------------
# Tombstones outside the database, for the day a backup is restored: keep them with the keys, longer than any backup.
UNDE_TOMBSTONE_DIR = Path(env.str("UNDE_TOMBSTONE_DIR", str(UNDE_DATA_DIR / "tombstones")))
# How long backups of the database are kept; a certificate says until when they hold what was erased.
UNDE_BACKUP_RETENTION_DAYS = env.int("UNDE_BACKUP_RETENTION_DAYS", 30)
# A file like memory/erasure/legal_profiles.toml with deadlines of the installation's own; empty: the shipped one.
UNDE_LEGAL_PROFILES = env.str("UNDE_LEGAL_PROFILES", "")
# A role that may rewrite tables and see the log's files (rewrite_storage, verify_erasure); the owner does half of it.
_owner_url = env.str("DATABASE_OWNER_URL", "")
UNDE_MAINTENANCE_DATABASE_URL = env.str("UNDE_MAINTENANCE_DATABASE_URL", "") or (
    # On the embedded server there is a superuser at hand.
    paths.database_url("superuser") if _owner_url in ("", paths.database_url("owner")) else _owner_url
)

SECRET_KEY = env.str("UNDE_SECRET_KEY", "not-secret: script/server makes one and passes it on")
DEBUG = env.bool("DJANGO_DEBUG", False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",  # without a site of its own: the console's is named below
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "config.console.site.ConsoleConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "django_celery_results",
    "patterns",
    "memory.tenants",
    "memory",
    "memory.episodes",
    "memory.consents",
    "memory.kept",
    "memory.outbox",
    "memory.retention",
    "memory.visits",
    "memory.privacy",
    "memory.imports",
    "memory.projects",
    "retrieval",
    "retrieval.knowledge",
    "corrections",
    "config.chat",
    "config",
]

MIDDLEWARE = [
    "config.observability.middleware.RequestContextMiddleware",
    "config.console.middleware.ForgetErasedMiddleware",
    "config.api.door.ApiDoorMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.headers.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.console.middleware.ConsoleSessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.console.middleware.ConsoleCsrfMiddleware",
    "config.console.middleware.ConsoleAuthenticationMiddleware",
    "config.console.middleware.ConsoleMessagesMiddleware",
    "config.console.middleware.ConsoleTenantMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- the two flows --------------------------------------------------------------------------------------------------
# Message in -> facts: run in this order inside the ingest transaction (ARCHITECTURE section 1).
INGEST_STEPS = [
    "retrieval.steps.CheckReceipt",
    "memory.storing.steps.ApplyEdits",
    "corrections.steps.RecogniseCorrections",
    "corrections.echoes.RecogniseEchoes",
    "memory.storing.steps.ExtractInstantFacts",
    "retrieval.steps.IndexMessages",
]

# --- extraction -----------------------------------------------------------------------------------------------------
# Any OpenAI-compatible endpoint: the base of its API (".../v1"), a key where it wants one, and a model. Without URL and
# model extraction is off, and readiness and `manage.py check` say so.
# Traces by OpenTelemetry (docs/tracing.md); they go where OTEL_EXPORTER_OTLP_ENDPOINT says.
UNDE_TRACES = env.bool("UNDE_TRACES", False)

UNDE_LLM_URL = env.str("UNDE_LLM_URL", "")
UNDE_LLM_KEY = env.str("UNDE_LLM_KEY", "")
UNDE_LLM_MODEL = env.str("UNDE_LLM_MODEL", "")
UNDE_LLM_TIMEOUT = env.float("UNDE_LLM_TIMEOUT", 60.0)
# How the answer's form is asked for: json_schema, json_object, none; auto tries them in this order, keeps what works.
UNDE_LLM_FORMAT = env.str("UNDE_LLM_FORMAT", "auto")
# Fields of the request that this endpoint wants otherwise, e.g. {"temperature": null, "max_tokens": null}.
UNDE_LLM_EXTRA = env.json("UNDE_LLM_EXTRA", default={})
# USD a million tokens, for the cost of a run and of an accepted fact; 0 counts tokens alone.
UNDE_LLM_PRICE_IN = env.float("UNDE_LLM_PRICE_IN", 0.0)
UNDE_LLM_PRICE_OUT = env.float("UNDE_LLM_PRICE_OUT", 0.0)
# (facts made, facts taken back as wrong) of a tenant since a moment: what D-26 switches extraction off by.
EXTRACTION_HARM_READER = "corrections.selectors.rates.count_batch_facts"

# --- webhooks -------------------------------------------------------------------------------------------------------
# Networks beside the public internet that webhooks may reach, plain HTTP included: "10.1.0.0/16,127.0.0.1/32".
UNDE_WEBHOOK_NETWORKS = env.list("UNDE_WEBHOOK_NETWORKS", default=[])

# --- OpenDSR --------------------------------------------------------------------------------------------------------
# PEM files of the certificate, with its chain, and of its private key, which sign answers and callbacks to privacy
# desks. Without them the way in is shut.
UNDE_OPENDSR_CERTIFICATE = env.str("UNDE_OPENDSR_CERTIFICATE", "")
UNDE_OPENDSR_KEY = env.str("UNDE_OPENDSR_KEY", "")

# --- the memory page ------------------------------------------------------------------------------------------------
# Where browsers reach this service: links to the memory page begin with it. Empty: with the host that asked for them.
UNDE_PUBLIC_URL = env.str("UNDE_PUBLIC_URL", "").rstrip("/")

# --- retrieval ------------------------------------------------------------------------------------------------------
# The built-in embedder, or {"provider": "openai_compatible", "base_url": ..., "model": ..., "dimensions": ...}.
UNDE_EMBEDDING = env.json("UNDE_EMBEDDING", default=None)
# Of the users, how many a nightly sample of misses and repeats looks at; 0 switches it off (docs/quality.md).
UNDE_QUALITY_SAMPLE = env.float("UNDE_QUALITY_SAMPLE", 0.05)
UNDE_RECIPE = env.str("UNDE_RECIPE", "")
# Recipes that passed `evaluate --gate` on a labelled set of this installation; others than these and the shipped ones
# cannot be chosen (docs/retrieval.md).
UNDE_ACCEPTED_RECIPES = env.str("UNDE_ACCEPTED_RECIPES", str(UNDE_DATA_DIR / "accepted-recipes.json"))
UNDE_PACK_BUDGET = env.json("UNDE_PACK_BUDGET", default=None)
UNDE_SEARCH_DEADLINE_MS = env.int("UNDE_SEARCH_DEADLINE_MS", 2_000)
# How long a question waits for a model to word it in other ways (a setting of the tenant).
UNDE_REWRITE_DEADLINE_MS = env.int("UNDE_REWRITE_DEADLINE_MS", 1_500)
# Exact token counts: {"gpt-4*": "/path/tokenizer.json"} by patterns of model names; without one tokens are estimated.
UNDE_TOKENIZERS = env.json("UNDE_TOKENIZERS", default=None)
# How long a question waits for an embedder across the network; then full text answers alone.
UNDE_EMBED_DEADLINE_MS = env.int("UNDE_EMBED_DEADLINE_MS", 1_000)

# --- database -------------------------------------------------------------------------------------------------------
# One database, three roles (D-14). The process says which it is; web and admin are `app`.
UNDE_DB_ROLE = cast("paths.Role", env.str("UNDE_DB_ROLE", "app"))
_DATABASE_VARIABLES = {"app": "DATABASE_URL", "owner": "DATABASE_OWNER_URL", "worker": "DATABASE_WORKER_URL"}
_database_url = env.str(_DATABASE_VARIABLES[UNDE_DB_ROLE], "") or paths.database_url(UNDE_DB_ROLE)

_prepare_threshold = env.int("UNDE_DB_PREPARE_THRESHOLD", 2)

_silence_ms = env.int("UNDE_DB_SILENCE_MS", 20_000)
DATABASES = {"default": env.db_url_config(_database_url)}
DATABASES["default"].update(
    ENGINE="django.db.backends.postgresql",
    CONN_MAX_AGE=0,
    CONN_HEALTH_CHECKS=True,
)
DATABASES["default"].setdefault("OPTIONS", {})
DATABASES["default"]["OPTIONS"].update(
    pool={
        "min_size": env.int("UNDE_DB_POOL_MIN", 1),
        "max_size": env.int("UNDE_DB_POOL_MAX", 5),
        "timeout": 10,
    },
    # Values go to the server apart from the statement, so that a server log can hold no user text (D-16).
    server_side_binding=True,
    # A statement sent for the third time on a connection is parsed and planned for the last time: half of what a
    # message costs the database (bench/results.md). -1 switches it off, for a pooler in transaction mode that cannot
    # follow it.
    prepare_threshold=_prepare_threshold if _prepare_threshold >= 0 else None,
    # jit and parallel workers cost more than they bring on statements inside one user. A process that hangs inside a
    # transaction loses it, and with it the lock of its user: nothing of ours waits for minutes between two statements.
    options=(
        "-c jit=off -c max_parallel_workers_per_gather=0 -c lock_timeout=2000"
        f" -c idle_in_transaction_session_timeout={tuning.IDLE_TRANSACTION_MS}"
    ),
    application_name=f"unde-{UNDE_DB_ROLE}",
    # A database that is gone without a word (a pulled cable, a lost network) is noticed after this, not in two hours:
    # requests that share a transaction wait for it together. The first is for what was sent and not heard of, the
    # others for a statement under way. Without effect on a socket of this machine.
    tcp_user_timeout=_silence_ms,
    keepalives_idle=max(1, _silence_ms // 4000),
    keepalives_interval=max(1, _silence_ms // 4000),
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- cache, workers -------------------------------------------------------------------------------------------------
REDIS_URL = env.str("REDIS_URL", "") or paths.redis_url()
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        # A cache that hangs must not hold requests: without it only rate limits are lost.
        "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 0.5},
    }
}

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", "") or paths.celery_broker_url(env.str("REDIS_URL", "") or None)
# A request that wakes a worker must not wait for a broker that is away: without these it stands for six seconds.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.1,
    "socket_connect_timeout": 1,
}
CELERY_RESULT_BACKEND = "django-db"
# Results keep the outcome alone: arguments and tracebacks could carry what a user said (D-16).
CELERY_RESULT_EXTENDED = False
CELERY_TASK_STORE_ERRORS_EVEN_IF_IGNORED = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = {
    # Starting values; staff change them in the admin, where the rows live.
    "run-fact-jobs": {"task": "memory.withdrawals.tasks.run_fact_jobs", "schedule": 60.0},
    "publish-due": {"task": "corrections.tasks.publish_due", "schedule": 60.0},
    "expire-facts": {"task": "memory.tasks.expire_facts", "schedule": 3600.0},
    # Often: other systems want to hear within seconds, and a run that finds nothing asks two short questions.
    "deliver-events": {"task": "config.webhooks.tasks.deliver_events", "schedule": 5.0},
    "run-privacy-requests": {"task": "config.opendsr.tasks.run_privacy_requests", "schedule": 30.0},
    "drop-old-events": {"task": "config.webhooks.tasks.drop_old_events", "schedule": 6 * 3600.0},
    "drop-answers": {"task": "memory.tasks.drop_answers", "schedule": 3600.0},
    "drop-old-visits": {"task": "memory.visits.tasks.drop_old_visits", "schedule": 6 * 3600.0},
    "drop-kept-items": {"task": "memory.kept.tasks.drop_kept_items", "schedule": 300.0},
    "finish-forgets": {"task": "memory.tasks.finish_forgets", "schedule": 3600.0},
    "run-imports": {"task": "memory.imports.tasks.run_imports", "schedule": 60.0},
    "drop-old-imports": {"task": "memory.imports.tasks.drop_old_imports", "schedule": 6 * 3600.0},
    # At night; a call works for a minute at most, and the next one goes on.
    "let-go-by-age": {"task": "memory.retention.tasks.let_go_by_age", "schedule": crontab(hour="0-5")},
    "run-erasures": {"task": "memory.erasure.tasks.run_erasures", "schedule": 60.0},
    "watch-erasures": {"task": "memory.erasure.tasks.watch_erasures", "schedule": 900.0},
    "recheck-erasures": {"task": "memory.erasure.tasks.recheck_erasures", "schedule": 900.0},
    # In quiet hours alone: each table is locked while it is written anew. A later hour tries again what failed.
    "prove-erasures": {"task": "memory.erasure.tasks.prove_erasures", "schedule": crontab(hour="0-3", minute=25)},
    "extract-pending": {"task": "memory.extraction.tasks.extract_pending", "schedule": 60.0},
    "word-episodes": {"task": "memory.episodes.tasks.word_episodes", "schedule": 60.0},
    # At night alone: reading and opening change no order during the day (D-22). A call works for a minute at most.
    "layer-episodes": {"task": "memory.episodes.tasks.layer_episodes", "schedule": crontab(hour="0-4")},
    "cut-episodes": {"task": "memory.episodes.tasks.cut_pending", "schedule": 60.0},
    "expire-candidates": {"task": "memory.extraction.tasks.expire_candidates", "schedule": 3600.0},
    "watch-extraction": {"task": "memory.extraction.tasks.watch_extraction", "schedule": 900.0},
    "read-project-threads": {"task": "memory.projects.tasks.read_threads", "schedule": 60.0},
    "embed-pending": {"task": "retrieval.tasks.embed_pending", "schedule": 60.0},
    "sweep-embeddings": {"task": "retrieval.tasks.sweep_embeddings", "schedule": 6 * 3600.0},
    # Well after the day's end in UTC: what is still being written then would break the chain (D-29).
    "seal-audit-trail": {"task": "memory.tenants.tasks.seal_audit_trail", "schedule": crontab(hour=2, minute=15)},
    "make-snippets": {"task": "retrieval.tasks.make_snippets", "schedule": 60.0},
    # At night alone: what was said of yesterday's packs changes no order during the day (D-22).
    "fold-usefulness": {"task": "retrieval.tasks.fold_usefulness", "schedule": crontab(hour=1, minute=40)},
    "build-knowledge-graphs": {"task": "retrieval.knowledge.tasks.build_graphs", "schedule": 60.0},
    "drop-old-questions": {
        "task": "retrieval.knowledge.tasks.drop_old_questions",
        "schedule": crontab(hour=1, minute=55),
    },
    "measure-quality": {"task": "corrections.quality.tasks.measure_quality", "schedule": crontab(minute=7)},
    # After the fold of usefulness. A call works for a minute at most; a night that is over is not done again.
    "calibrate-memory": {
        "task": "corrections.quality.tasks.calibrate_memory",
        "schedule": crontab(hour="2-4", minute="*/5"),
    },
    # At night alone, and several calls: each works for some minutes and the next goes on.
    "measure-offline": {"task": "corrections.quality.tasks.measure_offline", "schedule": crontab(hour="2-4", minute=5)},
    "propose-knowledge": {"task": "corrections.tasks.propose_knowledge", "schedule": crontab(hour=2, minute=35)},
    "prepare-receipt-partitions": {"task": "retrieval.tasks.prepare_receipt_partitions", "schedule": 6 * 3600.0},
}

# --- API ------------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["config.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["config.api.rendering.JsonRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "config.api.schema.ApiSchema",
    "EXCEPTION_HANDLER": "config.api.errors.handle_exception",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "UNDE Memory",
    "DESCRIPTION": "Long-term memory for conversational products: messages in, verified facts, exact context packs.",
    "VERSION": UNDE_VERSION,
    "OAS_VERSION": "3.1.1",
    # Not the default hook: names of enums are said where they are used, and it expects every schema to have properties.
    "POSTPROCESSING_HOOKS": ["config.api.schema.add_examples"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
}

# --- people ---------------------------------------------------------------------------------------------------------
# A working day; a console that is left open does not stay open for weeks.
SESSION_COOKIE_AGE = 12 * 3600
LOGIN_URL = reverse_lazy("admin:login")
LOGIN_REDIRECT_URL = reverse_lazy("admin:index")
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
UNFOLD = {
    "SITE_TITLE": "UNDE Memory",
    "SITE_HEADER": "UNDE Memory",
    "SITE_SYMBOL": "neurology",
    "SITE_SUBHEADER": "config.console.navigation.get_tenant_label",
    "SITE_URL": None,
    "SHOW_VIEW_ON_SITE": False,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "config.console.navigation.get_icon"}],
    "STYLES": ["config.console.navigation.get_stylesheet"],
    "SCRIPTS": ["config.console.navigation.get_script"],
    "LOGIN": {"form": "config.console.login.ThrottledLoginForm"},
    "DASHBOARD_CALLBACK": "config.console.dashboard.fill_dashboard",
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": False,
        "navigation": "config.console.navigation.list_navigation",
    },
}

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
FORMAT_MODULE_PATH = ["config.console.formats"]

STATIC_URL = "/static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", str(UNDE_DATA_DIR / "static")))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}

# Uploads are API bodies, bounded by the API itself with a coded error; Django's own limit would answer first with HTML.
DATA_UPLOAD_MAX_MEMORY_SIZE = None

# Read when /metrics is asked for, and shown by /readyz?verbose=1.
METRIC_READERS = [
    "retrieval.index.vector_state.read_vector_state",
    "memory.extraction.metrics.read_queue_size",
    "memory.episodes.metrics.read_episodes",
    "corrections.quality.exporting.read_quality",
    "memory.erasure.nightly.read_erasures_in_files",
    "memory.retention.selectors.read_retention",
    "config.observability.machine.read_disks",
    "config.observability.machine.read_processes",
    "config.observability.machine.read_cache",
    "config.observability.machine.read_beat",
]
FEATURE_PROBES = {"extraction": "memory.extraction.configuration.describe_extraction"}

LOGGING_CONFIG = "config.observability.logs.configure_logging"
LOGGING = {"level": env.str("UNDE_LOG_LEVEL", "INFO")}
