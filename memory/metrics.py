"""Counters of the room under the names of the KSP document. Labels are codes; no user text."""

from typing import Final

from prometheus_client import Counter

LANGUAGES: Final = ("ru", "en", "ar", "arabizi", "mixed")
"""What the KSP document counts apart; every series is there from the first scrape on (D-59)."""

INSTANT_EXTRACTION = Counter(
    "unde_instant_extraction_total", "Facts that a message stated plainly", ["type", "language"]
)
INSTANT_SUPERSEDE = Counter("unde_instant_extraction_supersede_total", "Instant facts that took another one's place")
MESSAGES = Counter("unde_messages_total", "Messages stored", ["role"])
USER_MESSAGES = Counter("unde_user_messages_total", "Messages of users stored, by language", ["language"])
FORGET_CASCADE_FACTS = Counter(
    "unde_forget_cascade_knowledge_deactivated_total", "Facts deactivated because their evidence was forgotten"
)
FACTS_EXPIRED = Counter("unde_facts_expired_total", "Facts whose day has passed")

READING_FAILURES = Counter(
    "unde_reading_failures_total", "Texts that rules or corrections failed on: stored, but not read", ["step"]
)


def count_instant_fact(*, knowledge_type: str, language: str, is_supersede: bool) -> None:
    """One fact set by the instant step."""
    INSTANT_EXTRACTION.labels(knowledge_type, language).inc()
    if is_supersede:
        INSTANT_SUPERSEDE.inc()


ERASURES_REQUESTED = Counter("unde_erasures_requested_total", "Erasures asked for", ["scope"])
ERASURES_COMPLETED = Counter("unde_erasures_completed_total", "Erasures carried out and certified", ["scope"])
PRIVACY_REQUESTS = Counter("unde_privacy_requests_total", "Requests of privacy desks, by status", ["kind", "status"])
ERASURE_FAILURES = Counter("unde_erasure_failures_total", "Attempts at an erasure that failed and are tried again")
ERASURE_ALERTS = Counter("unde_erasure_alerts_total", "Open erasures whose deadline came near or passed", ["level"])
for _level in ("warning", "critical", "overdue"):
    # A series that begins at 1 has not increased: the first alert of all would raise nobody.
    ERASURE_ALERTS.labels(_level)
IMPORTS = Counter("unde_imports_total", "Imports that a worker carried to their end", ["outcome"])
for _outcome in ("succeeded", "failed"):
    IMPORTS.labels(_outcome)
RETAINED = Counter("unde_retention_erased_total", "What was erased because of its age", ["kind"])
for _kind in ("messages", "items"):
    RETAINED.labels(_kind)
STORAGE_REWRITES = Counter("unde_storage_rewrites_total", "Nightly rewrites of files after erasures", ["outcome"])
for _outcome in ("done", "in_use", "not_allowed", "no_connection", "too_large", "no_room"):
    STORAGE_REWRITES.labels(_outcome)
for _language in LANGUAGES:
    USER_MESSAGES.labels(_language)
    for _type in ("body_params", "allergy", "budget", "hard_ban"):
        INSTANT_EXTRACTION.labels(_type, _language)
for _role in ("user", "assistant", "system"):
    MESSAGES.labels(_role)
