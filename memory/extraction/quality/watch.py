"""Figures switch extraction: wrong samples pause it, a bad slice is held back, harm turns it off (X-4, D-26)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from memory.extraction.quality.figures import find_first_verdict, measure_all, measure_slice
from memory.extraction.quality.switches import (
    SYSTEM,
    get_state,
    has_governor,
    quarantine_slice,
    set_sample_share,
    switch_extraction,
)
from memory.tenants.scope import tenant_scope

HarmReader = Callable[..., tuple[int, int]]
WATCHED_SLICES = ("type", "language", "version")


def watch_tenant(*, tenant_id: UUID, now: datetime, read_harm: HarmReader | None = None) -> list[str]:
    """Check the tenant's figures and switch extraction accordingly. Returns the codes of the switches. Writes.

    Under D-26's numbers nothing happens, so that a new tenant is not paused by its first wrong sample.
    """
    done = [_turn_off_when_harmful(tenant_id, now, read_harm or get_harm_reader())]
    is_governed = has_governor(tenant_id=tenant_id)
    done.append(_pause_when_wrong(tenant_id, now) if is_governed else "")
    done.append(_choose_share(tenant_id, now))
    done.extend(_hold_back_slices(tenant_id, now) if is_governed else [])
    return [code for code in done if code]


def get_harm_reader() -> HarmReader:
    """What settings name: it lies in a room to the left of this one."""
    reader: HarmReader = import_string(settings.EXTRACTION_HARM_READER)
    return reader


def _turn_off_when_harmful(tenant_id: UUID, now: datetime, read_harm: HarmReader) -> str:
    """D-26: facts of extraction that users took back as wrong, over those it made, in seven days."""
    tuning = settings.UNDE_TUNING
    with tenant_scope(tenant_id):
        made, taken_back = read_harm(tenant_id=tenant_id, since=now - tuning.HARM_WINDOW, until=now)
    if made < tuning.HARM_MIN_FACTS or taken_back / made <= tuning.HARM_RATE:
        return ""
    is_new = switch_extraction(tenant_id=tenant_id, mode="off", reason="facts_taken_back", actor=SYSTEM, now=now)
    return "turned_off" if is_new else ""


def _pause_when_wrong(tenant_id: UUID, now: datetime) -> str:
    tuning = settings.UNDE_TUNING
    state = get_state(tenant_id=tenant_id, default_share=tuning.REVIEW_SHARE)
    if state.mode != "on":
        return ""
    # The person who switched it on again has seen the earlier verdicts.
    since = max(now - tuning.REVIEW_WINDOW, state.changed_at or now - tuning.REVIEW_WINDOW)
    with tenant_scope(tenant_id):
        precision = measure_all(tenant_id=tenant_id, since=since)
    if precision.judged < tuning.REVIEW_MIN_SAMPLES or (precision.error_rate or 0.0) <= tuning.REVIEW_PAUSE_ERROR:
        return ""
    switch_extraction(tenant_id=tenant_id, mode="paused", reason="review_error_rate", actor=SYSTEM, now=now)
    return "paused"


def _choose_share(tenant_id: UUID, now: datetime) -> str:
    """One in a hundred; one in a thousand when two weeks of verdicts prove less than 2 % wrong (KSP fix 1B)."""
    tuning = settings.UNDE_TUNING
    state = get_state(tenant_id=tenant_id, default_share=tuning.REVIEW_SHARE)
    with tenant_scope(tenant_id):
        first = find_first_verdict(tenant_id=tenant_id)
        precision = measure_all(tenant_id=tenant_id, since=now - tuning.REVIEW_WINDOW)
    is_old_enough = first is not None and first <= now - tuning.REVIEW_WINDOW
    is_wrong = (precision.error_rate or 0.0) >= tuning.REVIEW_PROVEN_ERROR
    is_proven = is_old_enough and not is_wrong and precision.judged >= tuning.REVIEW_PROVEN_SAMPLES
    if is_proven and state.sample_share > tuning.REVIEW_SHARE_PROVEN:
        set_sample_share(tenant_id=tenant_id, share=tuning.REVIEW_SHARE_PROVEN)
        return "sampled_less"
    # Fewer verdicts, as there are from now on, do not undo the proof; wrong ones do.
    if is_wrong and precision.judged and state.sample_share < tuning.REVIEW_SHARE:
        set_sample_share(tenant_id=tenant_id, share=tuning.REVIEW_SHARE)
        return "sampled_more"
    return ""


def _hold_back_slices(tenant_id: UUID, now: datetime) -> list[str]:
    tuning = settings.UNDE_TUNING
    done = []
    for name in WATCHED_SLICES:
        with tenant_scope(tenant_id):
            measured = measure_slice(tenant_id=tenant_id, slice_name=name, since=now - tuning.REVIEW_WINDOW)
        for value, precision in measured.items():
            is_enough = precision.judged >= tuning.REVIEW_MIN_SAMPLES
            if (
                is_enough
                and precision.lower < tuning.QUARANTINE_LOWER_BOUND
                and quarantine_slice(tenant_id=tenant_id, slice_name=name, value=value, precision=precision, now=now)
            ):
                done.append(f"quarantined_{name}")
    return done
