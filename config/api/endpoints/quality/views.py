"""How well memory does for the tenant (SPEC Q-2)."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

import msgspec
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import Instant, RequestBody
from config.api.describing import about
from config.api.schema import describe
from config.api.views import ApiView
from corrections.models import CalibrationNight
from corrections.quality.calibration.night import list_nights
from corrections.quality.governor import list_open
from corrections.quality.reading import list_indicators, list_language_shares, list_precisions, write_window
from corrections.review.figures import ErrorRate
from memory.tenants.types import Scope


class QualityQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which moment is meant."""

    at: Annotated[Instant | None, about("As it stood at this moment; now when left out.")] = None


class IndicatorView(msgspec.Struct, frozen=True, kw_only=True):
    """One service level as it was last measured."""

    name: Annotated[str, about("The indicator's name.")]
    value: Annotated[float | None, about("The figure; null when there was nothing to measure.")]
    n: Annotated[int, about("How many samples it rests on.")]
    window: Annotated[str, about("How far back samples count, such as `7d` or `1h`.")]
    state: Annotated[
        Literal["PASS", "OBSERVE", "FAIL"],
        about("OBSERVE also stands for too few samples, and for an indicator that nobody has measured yet."),
    ]
    passes: Annotated[float, about("The limit for PASS.")] = msgspec.field(name="pass")
    fail: Annotated[float, about("The limit for FAIL. Below that of PASS, more is better.")]


class GovernorView(msgspec.Struct, frozen=True, kw_only=True):
    """Something that memory did by itself and that still holds."""

    action: Annotated[
        str,
        about(
            "`clean_up` and `conflicts` put facts in doubt; `extraction_paused`, `extraction_off`, "
            "`extraction_quarantine` and `rule_quarantine` hold something back. `rule_warned` is notice that a rule is "
            "held back at `due_at`."
        ),
    ]
    since: Annotated[datetime, about("When it was done.")]
    reason: Annotated[str, about("Why, as a code: the indicator that was over its limit, or the reason of the switch.")]
    subject: Annotated[str, about("What a warning is about: a rule and its version. Empty otherwise.")] = ""
    due_at: Annotated[datetime | None, about("Of a warning: when memory acts unless somebody does.")] = None


class LanguageView(msgspec.Struct, frozen=True, kw_only=True):
    """An offline measure in one language."""

    name: Annotated[str, about("`retrieval_miss_rate` or `user_repeated_info`.")]
    language: Annotated[str, about("The language of the exchanges.")]
    value: Annotated[float, about("The share of exchanges that count against memory.")]
    n: Annotated[int, about("Exchanges.")]
    as_of: Annotated[datetime, about("The moment that the run counted back from.")]


class PrecisionView(msgspec.Struct, frozen=True, kw_only=True):
    """How much of what one source taught memory was right, as reviewers decided."""

    slice: Annotated[Literal["rule", "prompt", "model", "language"], about("What is told apart.")]
    value: Annotated[str, about("The rule with its version, the prompt's version, the model, or the language.")]
    judged: Annotated[int, about("Items decided in the last 14 days.")]
    right: Annotated[int, about("Those that were right.")]
    precision: Annotated[float, about("The share of them.")]
    lower: Annotated[float, about("Lower bound of the true share (Wilson, 95 %).")]
    upper: Annotated[float, about("Upper bound of the true share.")]


class CalibrationView(msgspec.Struct, frozen=True, kw_only=True):
    """What a night's calibration did to the tenant's facts and tastes."""

    night: Annotated[date, about("The day (UTC) on which the night began.")]
    finished_at: Annotated[datetime | None, about("When it was done; null while it goes on.")]
    users: Annotated[int, about("Users with enough feedback, or enough tastes, to look at.")]
    raised: Annotated[int, about("Facts whose confidence rose.")]
    lowered: Annotated[int, about("Facts whose confidence fell.")]
    to_decide: Annotated[int, about("Facts that fell so far that a person decides about them.")]
    merged: Annotated[int, about("Tastes and habits made of several that are alike.")]


class QualityAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Service levels and what was done about them."""

    indicators: Annotated[list[IndicatorView], about("The eleven service levels, then the two offline measures.")]
    calibration: Annotated[CalibrationView | None, about("The last night; null before the first.")]
    governor: Annotated[list[GovernorView], about("What memory did by itself and nobody has undone, the oldest first.")]
    languages: Annotated[list[LanguageView], about("The offline measures by language, most exchanges first.")]
    precision: Annotated[
        list[PrecisionView], about("By rule, prompt, model and language; of each at most 50, the most judged first.")
    ]


class Quality(ApiView):
    """`GET /v1/quality`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="How well memory does",
        description=(
            "The service levels of your tenant as they were measured at the last full hour, with their limits and "
            "states, and what memory did by itself because of them. Figures only; no user is named."
        ),
        tag="quality",
        query=QualityQuery,
        answers={200: QualityAnswer},
    )
    def get(self, request: Request) -> Response:
        at = self.read_query(QualityQuery).at or timezone.now()
        tenant_id = self.caller.tenant_id
        with self.in_tenant():
            indicators = list_indicators(tenant_id=tenant_id, at=at)
            done = list_open(tenant_id=tenant_id, at=at)
            languages = list_language_shares(tenant_id=tenant_id, at=at)
            precisions = list_precisions(tenant_id=tenant_id, at=at)
            nights = list_nights(tenant_id=tenant_id, until=at, limit=1)
        answer = QualityAnswer(
            indicators=[
                IndicatorView(
                    name=one.level.name,
                    value=one.value,
                    n=one.n,
                    window=write_window(one.level.window),
                    state=one.state,  # type: ignore[arg-type]  # held to the three by a constraint
                    passes=one.passes,
                    fail=one.fails,
                )
                for one in indicators
            ],
            calibration=show_night(nights[0]) if nights else None,
            governor=[
                GovernorView(
                    action=one.action, since=one.since, reason=one.reason, subject=one.subject, due_at=one.due_at
                )
                for one in done
            ],
            languages=[
                LanguageView(name=one.indicator, language=one.language, value=one.value, n=one.n, as_of=one.as_of)
                for one in languages
            ],
            precision=[_show_precision(name, rate) for name, rate in precisions],
        )
        return Response(answer)


def _show_precision(name: str, rate: ErrorRate) -> PrecisionView:
    found = rate.precision
    return PrecisionView(
        slice=name,  # type: ignore[arg-type]  # one of `PRECISION_SLICES`
        value=rate.value,
        judged=found.judged,
        right=found.right,
        precision=found.right / found.judged,
        lower=found.lower,
        upper=found.upper,
    )


def show_night(night: CalibrationNight) -> CalibrationView:
    """A night's counts as the API names them."""
    return CalibrationView(
        night=night.night,
        finished_at=night.finished_at,
        users=night.users,
        raised=night.raised,
        lowered=night.lowered,
        to_decide=night.to_remove,
        merged=night.merged,
    )
