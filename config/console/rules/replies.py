"""The bench of replies: a turn, what is stored, replies to it; what each does to the facts and why not more."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from config.console.pages import console_page, render_page
from config.console.rules.samples import MAX_SAMPLE_CHARACTERS, split_samples
from corrections.evaluation.golden import name_operations, read_fact
from corrections.recognition.detector import detect, read_reply
from corrections.recognition.reasons import explain_reason
from corrections.recognition.types import Detection
from memory.tenants.access import get_access
from memory.types import Fact
from patterns.registry import get_rule_set
from patterns.rules.ruleset import RuleSet

MAX_FACTS: Final = 40
FILLERS: Final = "hush"


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """What somebody typed. `problems`: lines that are no facts, each a sentence."""

    turn: str
    facts: tuple[Fact, ...]
    replies: tuple[str, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownReply:
    """One reply: what it does, what was considered and turned down, the phrases in it, and what is in force instead.

    `cues`: words with the groups that they are phrases of. `microseconds`: the better of two runs.
    """

    text: str
    language: str
    does: tuple[str, ...]
    reasons: tuple[str, ...]
    cues: tuple[tuple[str, tuple[str, ...]], ...]
    microseconds: int
    was: tuple[str, ...] | None = None


@console_page("edit_patterns")
def show_reply_bench(request: HttpRequest) -> HttpResponseBase:
    """The page on GET; the results alone on POST, which the page sends while somebody types. Nothing is stored."""
    if request.method != "POST":
        return render_page(request, "console/rules/reply_bench.html", title="Reply bench")
    tenant = get_access(request).tenant
    rule_set = get_rule_set(tenant_id=tenant.id)
    asked = read_reply_request(request)
    now = timezone.now().astimezone(ZoneInfo(tenant.timezone))
    replies = read_replies(asked, rule_set=rule_set, live=None, said_at=now)
    return render(request, "console/rules/replies.html", {"replies": replies, "problems": asked.problems})


def read_reply_request(request: HttpRequest) -> ReplyRequest:
    """The fields `turn`, `known` (facts, one a line) and `messages` (replies, one a line) of a form."""
    facts: list[Fact] = []
    problems: list[str] = []
    for line in split_samples(request.POST.get("known", ""))[:MAX_FACTS]:
        try:
            facts.append(read_fact(line))
        except ValueError:
            problems.append(f"“{line[:60]}” is not a fact: write allergy/silk or body_params/size=M; add ! if disputed")
    turn = request.POST.get("turn", "").strip()[:MAX_SAMPLE_CHARACTERS]
    return ReplyRequest(turn, tuple(facts), tuple(split_samples(request.POST.get("messages", ""))), tuple(problems))


def read_replies(
    asked: ReplyRequest, *, rule_set: RuleSet, live: RuleSet | None, said_at: datetime
) -> list[ShownReply]:
    """Every reply as the ingest step would take it. With `live`, what the set in force does where that differs."""
    return [_read(text, asked, rule_set, live, said_at) for text in asked.replies]


def _read(text: str, asked: ReplyRequest, rule_set: RuleSet, live: RuleSet | None, said_at: datetime) -> ShownReply:
    times = []
    for _ in range(2):
        before = time.perf_counter_ns()
        detection = _detect(text, asked, rule_set, said_at)
        times.append(time.perf_counter_ns() - before)
    does = name_operations(detection)
    was = name_operations(_detect(text, asked, live, said_at)) if live is not None else does
    return ShownReply(
        text=text,
        language=detection.language,
        does=does,
        reasons=tuple(explain_reason(code) for code in detection.reasons),
        cues=_list_cues(text, rule_set),
        microseconds=round(min(times) / 1000),
        was=was if was != does else None,
    )


def _detect(text: str, asked: ReplyRequest, rule_set: RuleSet, said_at: datetime) -> Detection:
    return detect(text, previous_turn=asked.turn or None, facts=asked.facts, said_at=said_at, rule_set=rule_set)


def _list_cues(text: str, rule_set: RuleSet) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The words of each phrase found with the groups it is in, in the order of the text; fillers are left out."""
    found = read_reply(text, rule_set=rule_set)
    cues = [cue for name, cues in found.cues.items() if name != FILLERS for cue in cues]
    groups: dict[tuple[int, int], list[str]] = {}
    for cue in sorted(cues, key=lambda cue: (cue.start, -cue.end, cue.category)):
        groups.setdefault((cue.start, cue.end), []).append(name_group(cue.category, cue.meaning))
    tokens = found.message.tokens
    return tuple(
        (" ".join(token.text for token in tokens[start:end]), tuple(names)) for (start, end), names in groups.items()
    )


def name_group(category: str, meaning: str) -> str:
    """A group of phrases as people read it: "denial, firm"."""
    return (category if category == meaning else f"{category}, {meaning}").replace("_", " ")
