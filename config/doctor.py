"""What is wrong with an installation and how to mend it, in plain sentences (SPEC O-1). Reads only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.core import checks
from django.utils.module_loading import import_string

from config.api.health import SERVICES, SOFT_SERVICES
from config.command_line import NO_INSTALLATION, is_without_tables
from config.observability.machine import find_beat_times
from config.observability.queues import count_queues
from memory.database.statements import fetch_row
from memory.erasure.nightly import list_erasures_in_files
from memory.extraction.work_list import count_switches, count_waiting
from retrieval.index.outages import find_configured_outage

GOOD, NOTE, WARNING, BAD = "ok", "note", "warn", "BAD"
START_BEAT: Final = "Start exactly one: ops/systemd/unde-beat.service, or script/server."
MENDS: Final = {
    "database": "Is PostgreSQL up, and does DATABASE_URL lead there?",
    "role": "The statements that make the roles are in docs/running.md, under servers of your own.",
    "migrations": "Run the migrations as the owner: ops/systemd/unde-migrate.service, or start script/server.",
    "keys": "Is UNDE_KEY_DIR mounted (or the key database up), and does UNDE_MASTER_KEYS hold the key that is in use?",
    "cache": "Is Redis up, and does REDIS_URL lead there? Until then workers wait for beat.",
    "processes": "The end of its log in the folder log of the data directory says why; it is tried again by itself.",
    "storage": "Make room, or give the disk more: docs/alerts.md, UndeDiskLow. Nothing that was acknowledged is lost.",
    "rules": "script/manage load_packs puts the shipped rules in force; Refusals in the console says what was refused.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor: how bad, about what, a sentence, and what mends it."""

    level: str
    name: str
    sentence: str
    mend: str = ""


def examine(*, clock: Callable[[], datetime], ping: Callable[[], list[Any]] | None = None) -> Iterator[Finding]:
    """Look at everything; what needs the database is left out when there is none."""
    if SERVICES["database"]() is None and is_without_tables():
        yield Finding(BAD, "installation", NO_INSTALLATION)
        return
    services = {name: check() for name, check in SERVICES.items()}
    yield from (_judge_service(name, reason) for name, reason in services.items())
    yield from _list_system_checks(has_database=services["database"] is None)
    yield from _list_features()
    if services["database"] is None:
        yield _judge_clock(clock)
        yield _judge_beat(clock())
        yield from _list_queues(clock())
        yield from _judge_embedder(clock())
        yield from _judge_erasures(clock())
    yield _judge_workers(ping or _ping)


def _judge_service(name: str, reason: str | None) -> Finding:
    if reason is None:
        return Finding(GOOD, name, "works")
    return Finding(WARNING if name in SOFT_SERVICES else BAD, name, reason, MENDS.get(name, ""))


def _list_system_checks(*, has_database: bool) -> Iterator[Finding]:
    """What `manage.py check` finds, warnings and worse; notes such as extraction being off have a line of their own."""
    for message in checks.run_checks(databases=["default"] if has_database else None):
        if message.level >= checks.WARNING and not message.is_silenced():
            level = BAD if message.level >= checks.ERROR else WARNING
            yield Finding(level, str(message.id), str(message.msg), str(message.hint or ""))


def _list_features() -> Iterator[Finding]:
    for name, path in settings.FEATURE_PROBES.items():
        state = str(import_string(path)())
        mend = "" if state.startswith("on") else "That is no error. docs/extraction.md says how to name an endpoint."
        yield Finding(GOOD if state.startswith("on") else NOTE, name, state, mend)


def _judge_clock(clock: Callable[[], datetime]) -> Finding:
    skew = abs(fetch_row("SELECT clock_timestamp()")[0] - clock())
    if skew <= settings.UNDE_TUNING.MAX_CLOCK_SKEW:
        return Finding(GOOD, "clock", "agrees with the database's")
    words = f"differs from the database's by {skew.total_seconds():.0f} s"
    return Finding(BAD, "clock", words, "Set both by NTP: leases, deadlines and the order of messages rest on it.")


def _judge_beat(now: datetime) -> Finding:
    from django_celery_beat.models import PeriodicTask  # after the apps are loaded

    times = find_beat_times()
    if times is None:
        return Finding(WARNING, "beat", "has never started", START_BEAT)
    started_at, sent_at = times
    silent = now - max(sent_at, started_at)
    if silent > settings.UNDE_TUNING.BEAT_SILENCE:
        return Finding(BAD, "beat", f"has sent nothing for {silent.total_seconds() / 60:.0f} minutes", START_BEAT)
    if sent_at > started_at:
        return Finding(GOOD, "beat", f"sends its tasks, the last at {sent_at:%H:%M:%S} UTC")
    tasks = PeriodicTask.objects.filter(enabled=True).select_related("interval")
    first_at = started_at + min((task.schedule.run_every for task in tasks if task.interval), default=timedelta(0))
    ahead = f"is due at {first_at:%H:%M:%S} UTC" if first_at > now else "was due and will be noted in a minute or two"
    return Finding(GOOD, "beat", f"started {silent.total_seconds():.0f} s ago; its first task {ahead}")


def _list_queues(now: datetime) -> Iterator[Finding]:
    for name, count in count_queues().items():
        if count is None:
            yield Finding(WARNING, name, "cannot be counted", "The log says why: queue_probe_failed.")
        elif count and name.endswith("overdue"):
            yield Finding(BAD, name, f"{count}", "Erasures in the console says which; docs/alerts.md, UndeErasureLate.")
        else:
            yield Finding(GOOD, name, f"{count}")
    waiting, since = count_waiting()
    is_on = any(str(import_string(path)()).startswith("on") for path in settings.FEATURE_PROBES.values())
    if is_on and waiting and since and now - since > settings.UNDE_TUNING.DOCTOR_LONGEST_WAIT:
        hours = (now - since).total_seconds() / 3600
        yield Finding(WARNING, "extraction", f"the first message waits for {hours:.0f} h", "docs/alerts.md")
    for name, count in count_switches(now=now).items():
        if count:
            yield Finding(WARNING, f"extraction {name}", f"{count}", "Extraction and Numbers in the console say why.")


def _judge_embedder(now: datetime) -> Iterator[Finding]:
    outage = find_configured_outage()
    if outage is not None:
        minutes = (now - outage.failing_since).total_seconds() / 60
        yield Finding(
            WARNING, "vectors", f"none for {minutes:.0f} min ({outage.code})", "docs/alerts.md, UndeEmbedderAway."
        )


def _judge_erasures(now: datetime) -> Iterator[Finding]:
    waiting = list_erasures_in_files()
    if waiting:
        days = (now - waiting[0].completed_at).days
        sentence = f"{len(waiting)} are still in files of the database, the oldest for {days} days"
        level = WARNING if days >= 2 else NOTE
        yield Finding(level, "erasures", sentence, "The night rewrites them; docs/alerts.md, UndeErasureInFiles.")


def _judge_workers(ping: Callable[[], list[Any]]) -> Finding:
    try:
        answers = ping()
    except Exception as error:
        return Finding(BAD, "workers", f"cannot be asked ({type(error).__name__})", MENDS["cache"])
    if not answers:
        return Finding(BAD, "workers", "none answers", "Start some: ops/systemd/unde-worker.service, or script/server.")
    return Finding(GOOD, "workers", f"{len(answers)} answer")


def _ping() -> list[Any]:
    from config.celery import app

    return list(app.control.ping(timeout=settings.UNDE_TUNING.DOCTOR_PING_SECONDS) or [])
