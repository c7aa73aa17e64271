"""The doctor says what is wrong and what mends it; what is off on purpose is no illness."""

from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from config import doctor
from config.api import health
from config.celery import app
from retrieval.embedding.types import EmbeddingFailed
from retrieval.index.embedding_models import get_configured_provider, register_model
from retrieval.index.outages import ProviderAway, note_outage

pytestmark = pytest.mark.django_db


def examine(**more: Any) -> dict[str, doctor.Finding]:
    named = {"clock": timezone.now, "ping": lambda: [{"worker": "pong"}], **more}
    return {one.name: one for one in doctor.examine(**named)}


def test_extraction_without_an_endpoint_is_visibly_off_and_no_fault() -> None:
    finding = examine()["extraction"]
    assert (finding.level, finding.sentence) == ("note", "off: UNDE_LLM_URL and UNDE_LLM_MODEL are not set")


def test_extraction_with_an_endpoint_names_its_model(settings: Any) -> None:
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = "http://127.0.0.1:9/v1", "scripted"
    assert examine()["extraction"].sentence == "on: scripted"


def test_what_works_is_said_too() -> None:
    found = examine()
    assert {found[name].level for name in ("database", "migrations", "keys", "clock", "workers")} == {"ok"}


def test_no_worker_a_wrong_clock_and_a_broken_store_are_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(health.SERVICES, "keys", lambda: "the key store cannot be read")
    late = examine(clock=lambda: timezone.now() + timedelta(minutes=5), ping=list)
    assert [late[name].level for name in ("workers", "clock", "keys")] == ["BAD", "BAD", "BAD"]
    assert "UNDE_KEY_DIR" in late["keys"].mend
    assert "300 s" in late["clock"].sentence


def test_the_command_fails_when_something_is_bad_and_is_quiet_about_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.control, "ping", lambda **_: [])
    out = StringIO()
    with pytest.raises(CommandError, match="to fix"):
        call_command("doctor", "--quiet", stdout=out)
    assert "BAD   workers: none answers" in out.getvalue()
    assert "ok    database" not in out.getvalue()


def note_beat(*, started: timedelta, sent: timedelta | None) -> datetime:
    """Two schedules as beat leaves them: both written when it started, one again after it was sent. The time it is."""
    now = timezone.now()
    for name, seconds in (("a", 60), ("b", 3600)):
        interval = IntervalSchedule.objects.create(every=seconds, period="seconds")
        PeriodicTask.objects.create(name=name, task=name, interval=interval)
    PeriodicTask.objects.update(date_changed=now - started)
    if sent is not None:
        PeriodicTask.objects.filter(name="a").update(last_run_at=now - sent, date_changed=now - min(sent, started))
    return now


@pytest.mark.parametrize(
    ("started", "sent", "level", "words"),
    [
        (timedelta(seconds=20), None, "ok", "started 20 s ago; its first task is due at"),
        (timedelta(seconds=90), None, "ok", "started 90 s ago; its first task was due"),
        (timedelta(seconds=20), timedelta(hours=9), "ok", "started 20 s ago"),
        (timedelta(hours=5), timedelta(minutes=2), "ok", "sends its tasks, the last at"),
        (timedelta(hours=5), timedelta(minutes=25), "BAD", "has sent nothing for 25 minutes"),
        (timedelta(minutes=25), timedelta(hours=9), "BAD", "has sent nothing for 25 minutes"),
        (timedelta(minutes=25), None, "BAD", "has sent nothing for 25 minutes"),
    ],
)
def test_beat_is_given_time_after_its_start_and_no_more(
    started: timedelta, sent: timedelta | None, level: str, words: str
) -> None:
    now = note_beat(started=started, sent=sent)
    finding = examine(clock=lambda: now)["beat"]
    assert finding.level == level
    assert finding.sentence.startswith(words)


def test_beat_that_never_started_is_said() -> None:
    assert (examine()["beat"].level, examine()["beat"].sentence) == ("warn", "has never started")


def test_a_provider_of_vectors_that_is_away_is_said_with_its_code() -> None:
    provider = get_configured_provider()
    assert "vectors" not in examine()
    register_model(provider=provider)
    started = timezone.now() - timedelta(minutes=20)
    note_outage(provider, ProviderAway(EmbeddingFailed("unreachable")), now=started)
    finding = examine()["vectors"]
    assert (finding.level, finding.sentence) == ("warn", "none for 20 min (unreachable)")
